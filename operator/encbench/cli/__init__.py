"""`kubectl encbench`: one file a command, and beside it what that command prints.

23 files, because every command has one.
"""
