"""The recorder: it starts the tool beside it, watches it, and stores its results.

Standard library only, and little of that, because its start is dead time between trials. It has no
credentials for the object store; `wire.recorder` describes its interface. It is one process: the
main thread drives the run (`recorder`), daemon threads do the HTTP (`sidecars.serving`, `api`), and
they share `run.Run`.
"""
