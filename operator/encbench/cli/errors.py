"""Errors of the command line."""


class CommandError(Exception):
    """The command cannot be carried out. The text says what to do instead."""
