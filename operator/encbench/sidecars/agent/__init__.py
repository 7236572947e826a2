"""The agent: an unprivileged process beside a database server that reads what only it can read.

It shares the server's process namespace, user and volume. It gathers facts and judges nothing: what
they mean for a mode is decided in the operator by `engines.<engine>.judge`.

`wire.agent` says what it answers over HTTP, and to whom.

It runs at a twentieth of a core beside a server that is being measured: what it imports and what a
scrape costs are part of its design.
"""
