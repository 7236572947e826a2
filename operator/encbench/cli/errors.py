"""Errors of the command line."""


class CommandError(Exception):
    """What the user asked for cannot be done. The text says what to do instead."""
