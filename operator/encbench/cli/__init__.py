"""`kubectl encbench`: one file a command, and beside it what that command prints."""
