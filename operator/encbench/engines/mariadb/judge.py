"""Whether a mode is in force on a MariaDB server, judged from the agent's evidence.

The server's catalogue consists of variables, key plugins and the state of each tablespace.
"""

from collections.abc import Mapping
from typing import Any

from encbench.api.encryptionmode import AtRest, EncryptionModeSpec, InTransit
from encbench.core.evidence import Proof
from encbench.core.tls import suite
from encbench.engines.innodb import marker
from encbench.engines.innodb.judge import only_innodb
from encbench.engines.mariadb.settings import DEFAULT_ALGORITHM
from encbench.proofs import evidence as facts
from encbench.proofs.check import Comparison, conclude, equals, exempt, mode_name, none
from encbench.proofs.evidence import AgentEvidence, SearchedFile

SWITCHES = (
    "innodb_encrypt_log",
    "innodb_encrypt_temporary_tables",
    "aria_encrypt_tables",
    "encrypt_binlog",
    "encrypt_tmp_files",
    "encrypt_tmp_disk_tables",
)
KEY_PLUGIN = "file_key_management"
EXEMPT = {"aria-log": "MariaDB has no encryption of the Aria log"}
"""Kinds of files that may hold plaintext under TDE, and why. They hold no rows of InnoDB tables,
and the benchmark has no others (`only_innodb`)."""
MARKED = ("redo", "binlog")
"""Kinds, beside the table, in which plaintext mode must show a marker that was just written."""


def judge(evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool) -> Proof:
    """The proof of `mode` from this evidence."""
    name = mode_name(mode, f"TDE with {_algorithm(mode.tde)}" if mode.tde else None)
    seen = AgentEvidence.read(evidence)
    if isinstance(seen, Comparison):
        return conclude(name, "", [seen], evidence)
    own = seen.file(marker.table_file(seen.marker_table))
    checks = [
        *facts.breadth(seen, own, ("table", *MARKED), full=full),
        seen.setting("log_bin", "ON"),
        *_in_transit(seen, mode.in_transit),
    ]
    transit = facts.transit(mode.in_transit)
    if mode.tde is None:
        checks += [*_plain_catalogue(seen), *facts.in_plaintext(seen, own, MARKED, full=full)]
        found = f"no tablespace is encrypted and the marker is {facts.hits(seen.files)}"
        return conclude(name, f"{transit}, {found}", checks, evidence)
    shown = [file.path for file in seen.files if file.found and file.kind not in EXEMPT]
    exempted = [file for file in seen.files if file.kind in EXEMPT]
    checks += [
        *_encrypted_catalogue(seen, mode.tde),
        none("files in which the marker is readable", shown),
        *(_exempt(file) for file in exempted),
    ]
    left = f" ({len(exempted)} exempt)" if exempted else ""
    searched = facts.count(len(seen.files) - len(exempted), "file")
    found = (
        f"all {len(seen.catalogue.tablespaces)} tablespaces are encrypted and the marker is "
        f"readable in none of {searched}{left}"
    )
    return conclude(name, f"{transit}, {found}", checks, evidence)


def _exempt(file: SearchedFile) -> Comparison:
    marker_is = "marker readable" if file.found else "marker not found"
    return exempt(file.path, marker_is, why=EXEMPT[file.kind])


def _algorithm(at_rest: AtRest) -> str:
    return at_rest.algorithm or DEFAULT_ALGORITHM


def _in_transit(seen: AgentEvidence, in_transit: InTransit | None) -> list[Comparison]:
    """What the server would negotiate; a client's own output says what it negotiated."""
    if in_transit is None:
        return [seen.setting("have_ssl", "DISABLED")]
    return [
        seen.setting("have_ssl", "YES"),
        seen.setting("tls_version", in_transit.version),
        seen.setting("ssl_cipher", suite(in_transit)),
        seen.setting("require_secure_transport", "ON"),
    ]


def _encrypted_catalogue(seen: AgentEvidence, at_rest: AtRest) -> list[Comparison]:
    spaces = seen.catalogue.tablespaces
    algorithm = seen.variable("file_key_management_encryption_algorithm")
    return [
        seen.setting("innodb_encrypt_tables", "FORCE"),
        *(seen.setting(switch, "ON") for switch in SWITCHES),
        equals("encryption algorithm", _algorithm(at_rest), algorithm and algorithm.upper()),
        equals(f"plugin {KEY_PLUGIN}", "ACTIVE", seen.catalogue.plugins.get(KEY_PLUGIN)),
        facts.known(seen, marker.table_file(seen.marker_table)),
        none("tablespaces in plaintext", [s.name for s in spaces if not s.encrypted]),
        none("tablespaces being encrypted or decrypted", [s.name for s in spaces if s.busy]),
        only_innodb(seen),
    ]


def _plain_catalogue(seen: AgentEvidence) -> list[Comparison]:
    encrypted = [space.name for space in seen.catalogue.tablespaces if space.encrypted]
    return [
        *(seen.setting(switch, "OFF") for switch in ("innodb_encrypt_tables", *SWITCHES)),
        none("active key plugins", seen.active_plugins()),
        none("encrypted tablespaces", encrypted),
    ]
