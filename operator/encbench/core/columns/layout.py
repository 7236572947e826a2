"""Where the parts of column encryption find each other. Standard library only, for the agent."""

PORT = 3307
"""The confidential proxy's, on the pod's address; the server keeps its own."""
PROCESS = "confidential-proxy"
"""The proxy's program."""

MEK = "mek"
"""The key: entry of the testbed's credentials, and name of the file in every container."""
MEK_FOLDER = "/etc/encbench/mek"
MEK_FILE = f"{MEK_FOLDER}/{MEK}"

LIST = "columns"
"""The columns to encrypt: entry of the testbed's ConfigMap, and name of the file."""
LIST_FOLDER = "/etc/encbench/columns"
LIST_FILE = f"{LIST_FOLDER}/{LIST}"

MEK_DIGITS = 32
"""128 bits in hex."""
