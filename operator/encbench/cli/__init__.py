"""`kubectl encbench`: one file a command, and beside it what that command prints.

18 files, because most commands have a file for what they find and one for how it reads.
"""
