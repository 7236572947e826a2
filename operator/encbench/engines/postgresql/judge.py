"""Whether a mode is in force on a PostgreSQL, judged from the agent's evidence.

The server encrypts nothing at rest, so that what lies in its files must be readable: in the table
and in the write-ahead log. What a volume below does about it is judged elsewhere. In transit the
server says what it would negotiate and by which rules a client may connect; what a client did
negotiate is in its own output.

A full proof looks through every file; any other one reads the marker's own table only, so that the
proofs around a trial leave caches as they are.
"""

from collections.abc import Mapping
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit
from encbench.core.evidence import Proof
from encbench.core.tls import suite
from encbench.engines.postgresql.catalogue import RULE
from encbench.proofs import evidence as facts
from encbench.proofs.check import Comparison, equals, none
from encbench.proofs.combine import conclude, mode_name
from encbench.proofs.evidence import AgentEvidence, SearchedFile

MARKED = ("redo",)
"""Kinds, beside the table, in which a marker that was just written must lie."""
TABLESPACES = ("pg_default", "pg_global")
"""Those in the data directory."""


def judge(evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool) -> Proof:
    """The proof of `mode` from this evidence."""
    name = mode_name(mode, None)
    seen = facts.read(evidence)
    if isinstance(seen, Comparison):
        return conclude(name, "", [seen], evidence)
    own = seen.file(seen.marker_file) if seen.marker_file else None
    checks = [
        *facts.breadth(seen, own, ("table", *MARKED), full=full),
        *_in_transit(seen, mode.in_transit),
        *_at_rest(seen, own, full),
    ]
    return conclude(name, _found(seen, mode.in_transit), checks, evidence)


def _in_transit(seen: AgentEvidence, in_transit: InTransit | None) -> list[Comparison]:
    if in_transit is None:
        return [equals("ssl", "off", seen.variable("ssl"))]
    version = in_transit.version
    pinned = [equals("ssl_ciphers", suite(in_transit), seen.variable("ssl_ciphers"))]
    return [
        equals("ssl", "on", seen.variable("ssl")),
        equals("ssl_min_protocol_version", version, seen.variable("ssl_min_protocol_version")),
        equals("ssl_max_protocol_version", version, seen.variable("ssl_max_protocol_version")),
        # In TLS 1.3 the suite is no setting of the server's: the client's session says it.
        *(pinned if version == "TLSv1.2" else []),
        *_rules(seen),
    ]


def _rules(seen: AgentEvidence) -> list[Comparison]:
    """That no rule lets a client in over the network without TLS."""
    variables = seen.catalogue.variables
    rules = [rule for name, rule in variables.items() if name.startswith(RULE)]
    encrypted = [rule for rule in rules if rule.startswith("hostssl ")]
    there = "there" if encrypted else "missing"
    others = [rule for rule in rules if not rule.startswith(("hostssl ", "local "))]
    return [
        equals("a rule of access by TLS", "there", there),
        none("rules of access that do without TLS", others),
    ]


def _at_rest(seen: AgentEvidence, own: SearchedFile | None, full: bool) -> list[Comparison]:
    outside = [s.name for s in seen.catalogue.tablespaces if s.name not in TABLESPACES]
    encrypting = sorted(f"{name} ({kind})" for name, kind in seen.catalogue.plugins.items())
    checks = [
        equals("shared_preload_libraries", "", seen.variable("shared_preload_libraries")),
        equals("default_table_access_method", "heap", seen.variable("default_table_access_method")),
        none("extensions that could encrypt", encrypting),
        none("tablespaces outside the data directory", outside),
        facts.present("marker in its table file", own is not None and own.found),
    ]
    if full:
        checks += [facts.readable(seen, kind) for kind in MARKED]
    return checks


def _found(seen: AgentEvidence, in_transit: InTransit | None) -> str:
    transit = "TLS is off" if in_transit is None else "nobody connects without TLS"
    hits = sum(file.found for file in seen.files)
    return (
        f"{transit}, and the marker is readable in {hits} of {facts.count(len(seen.files), 'file')}"
    )
