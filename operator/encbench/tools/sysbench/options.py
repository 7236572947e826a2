"""The options file that tells sysbench who it is, so that no password stands on a command line.

The engine writes it, for it makes the user. sysbench 1.0.20 reads `name=value` lines
(`--config-file`) and quotes nothing: tried with real logins, it loses blanks, quotes, commas and a
leading `#`, and cuts lines near 256 bytes. Passwords in hexadecimal digits are safe.
"""

FILE_NAME = "sysbench.conf"
"""Entry of the credentials Secret."""
