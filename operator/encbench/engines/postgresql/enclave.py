"""The extension with encrypted column types, as the server's catalogue shows it.

The agent imports this module: the standard library only.
"""

EXTENSION = "encbench_enclave"
TYPES = ("enc_int4", "enc_text")
OWN = {EXTENSION: "extension", **dict.fromkeys(TYPES, "type")}
"""What a database with the extension has, by kind."""
