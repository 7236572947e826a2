"""The pure domain: plan, statistics, columns, records. It knows neither a cluster nor a clock.

22 files, because each kind of fact that the rooms above share has one.
"""
