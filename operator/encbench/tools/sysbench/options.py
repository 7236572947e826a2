"""The options file with sysbench's user and password, which keeps them off the command line.

The engine writes it, because the engine creates the user. sysbench 1.0.20 reads `name=value` lines
(`--config-file`) without quoting: in tests with real logins it lost blanks, quotes, commas and a
leading `#`, and cut lines near 256 bytes. Passwords in hexadecimal digits are safe.
"""

FILE_NAME = "sysbench.conf"
"""Entry of the credentials Secret."""
