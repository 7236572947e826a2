"""The recorder: it starts the tool beside it, watches it, and stores what it left.

Standard library only, and little of that, for its start is dead time between trials. It has no
credentials for the object store; see docs/design/0001-spine.md, "Recorder", for what it says and to
whom. One process with the run's life in the main thread (`recorder`) and HTTP in daemon threads
(`server`, `api`); what they share is `run.Run`.
"""
