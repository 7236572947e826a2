"""A campaign: what was planned, what comes next, and the report.

24 files, because what it reads, decides, builds and publishes are policies of their own.
"""
