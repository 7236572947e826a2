"""What the operator and its sidecars say to each other: one declaration that both sides import.

Standard library only, and little of that, because a sidecar's start is dead time between trials. A
`TypedDict` costs the sidecars nothing: they build plain dicts, and mypy holds them to the contract.
"""
