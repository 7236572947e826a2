"""Whether a mode is in force on a PostgreSQL server, judged from the agent's evidence.

The server encrypts nothing at rest, so its files must be readable: the table and the write-ahead
log. `proofs.volume` judges an encrypted volume below. In transit, the server says what it would
negotiate and by which rules a client may connect; a client's own output says what it negotiated.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit
from encbench.core.evidence import Proof
from encbench.core.tls import suite
from encbench.engines.postgresql.catalogue import OVERRIDE, RULE
from encbench.engines.postgresql.enclave import EXTENSION, OWN
from encbench.proofs import evidence as facts
from encbench.proofs.check import Comparison, conclude, equals, mode_name, none
from encbench.proofs.evidence import AgentEvidence, SearchedFile

MARKED = ("redo",)
"""Kinds, beside the table, that must show a marker that was just written."""
TABLESPACES = ("pg_default", "pg_global")
"""Those in the data directory."""


def judge(evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool) -> Proof:
    """The proof of `mode` from this evidence."""
    name = mode_name(mode, None)
    seen = AgentEvidence.read(evidence)
    if isinstance(seen, Comparison):
        return conclude(name, "", [seen], evidence)
    own = seen.file(seen.marker_file) if seen.marker_file else None
    checks = [
        *facts.breadth(seen, own, ("table", *MARKED), full=full),
        *_in_transit(seen, mode.in_transit),
        *_at_rest(seen, own, full),
        *_types(seen, mode),
        none("settings of single roles or databases", _variables(seen, OVERRIDE)),
    ]
    found = f"{facts.transit(mode.in_transit)}, and the marker is {facts.hits(seen.files)}"
    return conclude(name, found, checks, evidence)


def _in_transit(seen: AgentEvidence, in_transit: InTransit | None) -> list[Comparison]:
    if in_transit is None:
        return [seen.setting("ssl", "off")]
    version = in_transit.version
    pinned = [seen.setting("ssl_ciphers", suite(in_transit))]
    return [
        seen.setting("ssl", "on"),
        seen.setting("ssl_min_protocol_version", version),
        seen.setting("ssl_max_protocol_version", version),
        # In TLS 1.3 no server setting names the suite; the client's session does.
        *(pinned if version == "TLSv1.2" else []),
        *_rules(seen),
    ]


def _rules(seen: AgentEvidence) -> list[Comparison]:
    """No rule may let a client in over the network without TLS."""
    rules = _variables(seen, RULE)
    encrypted = [rule for rule in rules if rule.startswith("hostssl ")]
    there = "there" if encrypted else "missing"
    others = [rule for rule in rules if not rule.startswith(("hostssl ", "local "))]
    return [
        equals("a rule of access by TLS", "there", there),
        none("rules of access that do without TLS", others),
    ]


def _variables(seen: AgentEvidence, prefix: str) -> list[str]:
    """Those whose names begin like that."""
    variables = seen.catalogue.variables
    return [value for name, value in variables.items() if name.startswith(prefix)]


def _at_rest(seen: AgentEvidence, own: SearchedFile | None, full: bool) -> list[Comparison]:
    outside = [s.name for s in seen.catalogue.tablespaces if s.name not in TABLESPACES]
    plugins = seen.catalogue.plugins.items()
    encrypting = _named((name, kind) for name, kind in plugins if name not in OWN)
    return [
        seen.setting("shared_preload_libraries", ""),
        seen.setting("default_table_access_method", "heap"),
        none("extensions that could encrypt", encrypting),
        none("tablespaces outside the data directory", outside),
        *facts.in_plaintext(seen, own, MARKED, full=full),
    ]


def _types(seen: AgentEvidence, mode: EncryptionModeSpec) -> list[Comparison]:
    """The extension with encrypted types is there where the mode asks for it, and nowhere else."""
    plugins = seen.catalogue.plugins.items()
    found = _named((name, kind) for name, kind in plugins if name in OWN)
    if mode.enclave is None:
        return [
            seen.setting("session_preload_libraries", ""),
            none("encrypted column types, and their extension", found),
        ]
    wanted = _named(OWN.items())
    return [
        seen.setting("session_preload_libraries", EXTENSION),
        equals("encrypted column types, and their extension", ", ".join(wanted), ", ".join(found)),
    ]


def _named(plugins: Iterable[tuple[str, str]]) -> list[str]:
    """Each by its name and kind."""
    return sorted(f"{name} ({kind})" for name, kind in plugins)
