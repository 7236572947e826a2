"""`kubectl encbench`: one file a command, and beside it what that command prints.

17 files, because there are seven commands.
"""
