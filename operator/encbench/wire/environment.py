"""Names of the environment variables that a pod's builder sets and a sidecar reads.

The builders are in `database` and `tools`. Images' own scripts read some of them as well. Two that
have a default of the sidecar's own are set by tests alone.
"""

# The agent's.
ENGINE = "ENCBENCH_ENGINE"
VOLUME = "ENCBENCH_VOLUME"
SOCKET = "ENCBENCH_SOCKET"
CREDENTIALS = "ENCBENCH_CREDENTIALS"
"""The folder with token and certificate; the recorder's as well."""
LOWER = "ENCBENCH_LOWER"
VOLUME_PROCESS = "ENCBENCH_VOLUME_PROCESS"
CGROUP = "ENCBENCH_CGROUP"
"""The image's script gives it to the file system: its container's group in the tree it sees."""
PROXY_PORT = "ENCBENCH_PROXY_PORT"
LOGIN_PORT = "ENCBENCH_LOGIN_PORT"
"""The server's own, where clients have to have logged in before they do through the proxy."""
COLUMNS = "ENCBENCH_COLUMNS"
MEK_FILE = "ENCBENCH_MEK_FILE"
ENCLAVE = "ENCBENCH_ENCLAVE"
"""Set where columns have encrypted types, which the key opens."""
PORT = "ENCBENCH_PORT"
"""The port of metrics and health; the recorder's as well."""
CONTROL_PORT = "ENCBENCH_CONTROL_PORT"
"""The port of everything else; the recorder's as well."""

# The recorder's.
TOOL = "ENCBENCH_TOOL"
PROCESS = "ENCBENCH_PROCESS"
PREFIX = "ENCBENCH_PREFIX"
STORE = "ENCBENCH_STORE"
"""URL of the bucket; every upload goes below it."""
STORE_AUTHORITY = "ENCBENCH_STORE_AUTHORITY"
"""PEM of the CA that certifies the store; absent where everyone trusts its certificate."""
WARMUP = "ENCBENCH_WARMUP"
CPU_LIMIT = "ENCBENCH_CPU_LIMIT"
MEMORY_LIMIT = "ENCBENCH_MEMORY_LIMIT"
GRACE = "ENCBENCH_GRACE"
LINGER = "ENCBENCH_LINGER"
TERMINATION_LOG = "ENCBENCH_TERMINATION_LOG"
"""This and the one before are set by tests alone."""
COUNTERS = "ENCBENCH_COUNTERS"
"""The file in which the tool counts its events (`images/turnstile/src/counters.rs`)."""
RUN_DIR = "ENCBENCH_RUN_DIR"
"""The wrapper's as well."""

# The golden copy's.
ROOT = "ENCBENCH_ROOT"
FOLDERS = "ENCBENCH_FOLDERS"
STOPPED = "ENCBENCH_STOPPED"
CACHE = "ENCBENCH_CACHE"
RESET = "ENCBENCH_RESET"

# The driver's.
DRIVERS = "ENCBENCH_DRIVERS"
JAR_URL = "ENCBENCH_JAR_URL"
JAR_FILE = "ENCBENCH_JAR_FILE"
JAR_SHA256 = "ENCBENCH_JAR_SHA256"
