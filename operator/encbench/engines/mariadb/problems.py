"""What is wrong with a template or a mode for MariaDB, said before anything starts.

An option file is forgiving in ways that a benchmark cannot be: it takes an unambiguous beginning
for the whole name, and `loose_`, `skip_`, `enable_`, `disable_` and `maximum_` before a name. Each
of these could slip past a list of forbidden names, so names are compared without the prefix, and a
beginning of a forbidden name counts as that name.
"""

import difflib
import fnmatch
import re

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.mariadb.known import known_settings
from encbench.engines.mariadb.settings import MEBIBYTE, default_buffer_pool, largest_buffer_pool

OLDEST = (10, 5)
"""The first series whose server and client are called mariadbd and mariadb."""

_PLACES = "leave it out, for the operator places the server's files, sockets and ports itself"
_MODE = "leave it out and describe the encryption in an EncryptionMode instead"
_BINLOG = "leave it out, for the binary log is on in every arm so that its encryption is measured"
_PLAINTEXT = "leave it out, for it writes statements in plaintext, which no proof of TDE can accept"
_SERVES = "leave it out, for with it the server would not serve the benchmark"

_OWNED: tuple[tuple[str, str], ...] = (
    (
        "datadir socket pid_file port extra_port bind_address tmpdir user basedir chroot init_file "
        "innodb_data_home_dir innodb_data_file_path innodb_log_group_home_dir innodb_tmpdir "
        "innodb_undo_directory innodb_temp_data_file_path aria_log_dir_path slave_load_tmpdir "
        "log_error secure_file_priv log_tc",
        _PLACES,
    ),
    ("*encrypt* file_key_management* hashicorp_key_management* aws_key_management*", _MODE),
    ("ssl ssl_* tls_version require_secure_transport", _MODE),
    ("plugin_*", "leave it out, for the encryption mode decides which plugins are loaded"),
    ("log_bin log_bin_* log_basename server_id sql_log_bin", _BINLOG),
    ("general_log* slow_query_log* log_slow_query* log_output", _PLAINTEXT),
    (
        "max_connections",
        "leave it out, for the operator makes room for the highest concurrency of the workloads",
    ),
    (
        "innodb_file_per_table innodb_compression_default",
        "leave it out, for the proofs look for their marker in the uncompressed file of its table",
    ),
    (
        "grant_tables networking bootstrap read_only innodb_read_only innodb_force_recovery",
        _SERVES,
    ),
    (
        "wsrep_* rpl_semi_sync_* replicate_* master_info_file relay_log*",
        "leave it out, for encbench measures a single server without replicas",
    ),
)

_PREFIX = re.compile(r"^(loose|skip|enable|disable|maximum)_")
_SIZE = re.compile(r"([0-9]+)([KMGTPE]?)", re.IGNORECASE)
_UNITS = {unit: 2 ** (10 * power) for power, unit in enumerate(["", "K", "M", "G", "T", "P", "E"])}
_KUBERNETES_SIZE = re.compile(r"([0-9]+)([KMGTPE])i")
_BAD_VALUE = re.compile(r"[\x00-\x1f\x7f#]")


def problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> list[str]:  # noqa: ARG001
    """What is wrong, each in a sentence; empty when nothing is.

    Every mode that the API can express today is one that MariaDB has, so `mode` is not looked at.
    """
    found = [*_version(instance)]
    known = known_settings(instance.version)
    for name, value in instance.settings.items():
        advice = owned(name)
        if advice is not None:
            found.append(f"settings.{name} belongs to the operator: {advice}")
        elif known is not None and name not in known:
            found.append(_unknown(name, instance.version, known))
        else:
            found += _value(name, value)
    return [*found, *_buffer_pool(instance)]


def owned(name: str) -> str | None:
    """What to do instead of setting this; None for a setting that a template may set."""
    bare = _PREFIX.sub("", name)
    for patterns, advice in _OWNED:
        for pattern in patterns.split():
            if fnmatch.fnmatchcase(bare, pattern) or pattern.startswith(bare):
                return advice
    return None


def parse_size(text: str) -> int | None:
    """Bytes in a size as MariaDB writes it, such as 256M; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(match[1]) * _UNITS[match[2].upper()]


def _version(instance: InstanceTemplateSpec) -> list[str]:
    number = tuple(int(part) for part in instance.version.split("."))
    if number >= OLDEST or len(number) == 1:
        return []
    return [
        f"version {instance.version} of MariaDB is too old: write 10.5 or later, and an image of it"
    ]


def _unknown(name: str, version: str, known: frozenset[str]) -> str:
    allowed = sorted(setting for setting in known if owned(setting) is None)
    close = difflib.get_close_matches(name, allowed, n=1, cutoff=0.7)
    hint = f"write {close[0]} if that is what you mean" if close else "leave it out"
    return f"settings.{name} is no setting of MariaDB {version}: {hint}"


def _value(name: str, value: str) -> list[str]:
    if _BAD_VALUE.search(value):
        return [
            f"settings.{name} holds a line break, a control character or #: write one plain line, "
            "for the option file would end or change there"
        ]
    size = _KUBERNETES_SIZE.fullmatch(value)
    if size is not None:
        return [f"settings.{name}: write {size[1]}{size[2]}, as MariaDB does, instead of {value}"]
    return []


def _buffer_pool(instance: InstanceTemplateSpec) -> list[str]:
    text = instance.settings.get("innodb_buffer_pool_size")
    if text is None or _KUBERNETES_SIZE.fullmatch(text):
        return []
    memory = instance.resources.memory_bytes
    size = parse_size(text)
    if size is None:
        return [
            f"settings.innodb_buffer_pool_size is {text!r}: write a size such as "
            f"{default_buffer_pool(memory)}"
        ]
    limit = largest_buffer_pool(memory)
    if size > limit:
        return [
            f"settings.innodb_buffer_pool_size of {text} leaves the server too little of its "
            f"{instance.resources.memory} of memory: write {limit // MEBIBYTE}M or less, or raise "
            "resources.memory"
        ]
    return []
