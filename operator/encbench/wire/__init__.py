"""The interface between the operator and its sidecars, declared once and imported by both.

Standard library only, and little of that, because a sidecar's start is dead time between trials. A
`TypedDict` costs the sidecars nothing: they build plain dicts, and mypy holds them to the contract.
"""
