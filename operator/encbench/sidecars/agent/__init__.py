"""The agent: an unprivileged process beside a database server, with access that only it has.

It shares the server's process namespace, user and volume. It gathers facts and judges nothing: the
operator's `engines.<engine>.judge` decides their meaning for a mode. `wire.agent` is its interface.

It runs at a twentieth of a core beside a server that is being measured, so its design limits what
it imports and what a scrape costs. The room has 19 files, because each thing that the operator may
ask for has one, and the port in the clear imports few of them.
"""
