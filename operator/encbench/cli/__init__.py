"""`kubectl encbench`: one file a command, and beside it what that command prints.

22 files, because every command has one.
"""
