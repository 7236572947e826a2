"""Whether a mode is in force on a MySQL server, judged from the agent's evidence.

TDE covers parts, and a mode may ask for some of them. Each part is proven twice: by the server's
own catalogue, and by the files of that part, in which the marker (or its echo, see `marker`) must
be unreadable where the mode encrypts, and readable where it does not. What is outside the scope is
therefore proven plaintext, just as what is inside is proven encrypted.

| part   | catalogue                                | files                             |
|--------|------------------------------------------|-----------------------------------|
| tables | engine and tablespace, change buffering  | tables and doublewrite, by marker |
| system | tablespace mysql, tables of sys          | mysql.ibd, ibdata1, by echo       |
| undo   | each undo tablespace                     | undo tablespaces, by echo         |
| redo   | its setting                              | redo log, by marker               |
| binlog | its setting, each log in the list        | binary logs, by marker            |
"""

from collections.abc import Mapping
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit, Scope
from encbench.core.connection import DATABASE
from encbench.core.evidence import Proof
from encbench.core.tls import suite
from encbench.engines.innodb import marker
from encbench.engines.innodb.judge import only_innodb
from encbench.engines.mysql.catalogue import CERTIFICATE_EXPIRY
from encbench.engines.mysql.flavour import Flavour
from encbench.engines.mysql.layout import COMPONENT, PLUGIN
from encbench.proofs import evidence as facts
from encbench.proofs.check import Comparison, conclude, equals, exempt, holds, mode_name, none
from encbench.proofs.evidence import AgentEvidence, SearchedFile

KEYRINGS = (COMPONENT, PLUGIN)
EXEMPT = "MySQL has no encryption of temporary tables"
"""Measured with 9.7: under full TDE, rows of temporary tables are readable in #innodb_temp, their
undo in ibtmp1, and rows of a large sort in tmpdir. The marker is never in a temporary table."""

HIDDEN = "this release lists none without performance schema: what is encrypted speaks for it"
"""Of some releases of 8.0; 9.7 lists it all the same. Without its keyring, a server that is to
encrypt everything is not even initialised."""

_KINDS: Mapping[Scope, str] = {
    "tables": "table",
    "system": "system",
    "redo": "redo",
    "undo": "undo",
    "binlog": "binlog",
}
"""The kind of each part's files."""
_ECHOING = ("system", "undo")
"""Parts whose files are searched for the echo instead of the marker. Their pages may reach the file
some time after it was written."""


def judge(
    flavour: Flavour, evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool
) -> Proof:
    """The proof of `mode` from this evidence."""
    scope = flavour.scope(mode)
    covered = ", ".join(part for part in flavour.scopes if part in scope)
    name = mode_name(mode, f"TDE of {covered}" if mode.tde else None)
    seen = AgentEvidence.read(evidence)
    if isinstance(seen, Comparison):
        return conclude(name, "", [seen], evidence)
    own = seen.file(marker.table_file(seen.marker_table))
    checks = [
        *facts.breadth(seen, own, ("table", "redo", "binlog"), full=full),
        seen.setting("log_bin", "ON"),
        *_in_transit(seen, mode.in_transit),
        *_settings(seen, flavour, mode),
        _keyring(seen, wanted=mode.tde is not None),
        *_tablespaces(seen, scope),
        *_binary_logs(seen, scope),
        *_own_file(own, encrypted="tables" in scope),
    ]
    if full:
        checks += [check for part in _KINDS for check in _files(seen, part, scope)]
        checks += [*_doublewrite(seen, scope), *_rest(seen, scope)]
    if "tables" in scope:
        checks += [only_innodb(seen), _change_buffer(seen)]
    if scope:
        checks += _exemptions(seen, flavour, scope)
    return conclude(name, _found(seen, mode, scope), checks, evidence)


def _in_transit(seen: AgentEvidence, in_transit: InTransit | None) -> list[Comparison]:
    """What the server would negotiate; a client's own output says what it negotiated."""
    expiry = seen.variable(CERTIFICATE_EXPIRY)
    said = "unknown" if expiry is None else "on" if expiry else "off"
    if in_transit is None:
        return [equals("TLS of the server", "off", said)]
    suites = "tls_ciphersuites" if in_transit.version == "TLSv1.3" else "ssl_cipher"
    return [
        equals("TLS of the server", "on", said),
        seen.setting("tls_version", in_transit.version),
        seen.setting(suites, suite(in_transit)),
        seen.setting("require_secure_transport", "ON"),
    ]


def _settings(seen: AgentEvidence, flavour: Flavour, mode: EncryptionModeSpec) -> list[Comparison]:
    """A setting that the server does not know counts as off."""
    return [
        equals(setting, "ON" if on else "OFF", seen.variable(setting) or (None if on else "OFF"))
        for setting, on in flavour.switches(mode).items()
    ]


def _keyring(seen: AgentEvidence, *, wanted: bool) -> Comparison:
    active = seen.active_plugins()
    if not wanted:
        return none("active keyrings", active)
    name, expected = "active keyring", " or ".join(KEYRINGS)
    if not seen.catalogue.plugins and _hides_components(seen):
        return exempt(name, "not listed", expected, why=HIDDEN)
    shown = ", ".join(active) or "none"
    return Comparison(name, expected, shown, bool(set(active) & set(KEYRINGS)))


def _hides_components(seen: AgentEvidence) -> bool:
    is_8_0 = (seen.variable("version") or "").startswith("8.0.")
    return is_8_0 and seen.variable("performance_schema") == "OFF"


def _tablespaces(seen: AgentEvidence, scope: frozenset[Scope]) -> list[Comparison]:
    """5.7 lists none. It has no TDE in encbench; that no keyring is active proves it."""
    spaces = seen.catalogue.tablespaces
    if not spaces and (seen.variable("version") or "").startswith("5.7."):
        return []
    return [
        facts.known(seen, marker.table_file(seen.marker_table)),
        none(
            "tablespaces in plaintext",
            [s.name for s in spaces if _part_of(s.name) in scope and not s.encrypted],
        ),
        none(
            "encrypted tablespaces outside the scope" if scope else "encrypted tablespaces",
            [s.name for s in spaces if _part_of(s.name) not in scope and s.encrypted],
        ),
    ]


def _part_of(space: str) -> Scope:
    if space.startswith(f"{DATABASE}/"):
        return "tables"
    return "undo" if space.startswith("innodb_undo") else "system"


def _binary_logs(seen: AgentEvidence, scope: frozenset[Scope]) -> list[Comparison]:
    inside = "binlog" in scope
    wrong = [log.name for log in seen.catalogue.binary_logs if log.encrypted != inside]
    name = "binary logs in plaintext" if inside else "encrypted binary logs"
    listed = bool(seen.catalogue.binary_logs)
    return [holds("binary logs are listed", listed, "yes", "no"), none(name, wrong)]


def _own_file(own: SearchedFile | None, *, encrypted: bool) -> list[Comparison]:
    if encrypted:
        open_file = [own.path] if own is not None and _is_readable(own) else []
        return [none("marker in its table file", open_file)]
    return [facts.present("marker in its table file", own is not None and own.found)]


def _files(seen: AgentEvidence, part: Scope, scope: frozenset[Scope]) -> list[Comparison]:
    files = [file for file in seen.files if file.kind == _KINDS[part]]
    spaces, echoing = seen.catalogue.tablespaces, part in _ECHOING
    if echoing and any(space.busy for space in spaces):
        why = "not all pages were written in time: the catalogue speaks for it"
        return [exempt(f"files of {part}", "not judged", why=why)]
    if part in scope:
        shown = [file.path for file in files if _is_readable(file)]
        return [none(f"files of {part} in which the marker is readable", shown)]
    if echoing and not any(_part_of(space.name) == part for space in spaces):
        return []  # 5.7 has no tablespaces for them.
    readable = any(file.echoed if echoing else file.found for file in files)
    return [facts.present(f"marker in a {_KINDS[part]} file", readable)]


def _doublewrite(seen: AgentEvidence, scope: frozenset[Scope]) -> list[Comparison]:
    """Pages of every tablespace pass through it on the way to their own file.

    The marker stands for tables, the echo for system tables and the undo log.
    """
    files = [file for file in seen.files if file.kind == "doublewrite"]
    name = "doublewrite files in which the marker is readable"
    if "tables" not in scope:
        if not files or seen.variable("innodb_doublewrite") != "ON":
            return []  # It is elsewhere before 8.0.20, and a template may turn it off.
        return [facts.present("marker in a doublewrite file", any(f.found for f in files))]
    checks = [none(name, [file.path for file in files if file.found])]
    if {"system", "undo"} <= scope:
        echoes = [file.path for file in files if file.echoed]
        checks.append(none("doublewrite files in which the echo is readable", echoes))
    return checks


def _rest(seen: AgentEvidence, scope: frozenset[Scope]) -> list[Comparison]:
    """Files that hold no rows, such as a log of statements that was turned on.

    They belong to no part. With 9.7 none of them has the marker even in plaintext.
    """
    if not scope.issuperset(_KINDS):
        return []
    shown = [file.path for file in seen.files if file.kind == "other" and _is_readable(file)]
    return [none("other files in which the marker is readable", shown)]


def _is_readable(file: SearchedFile) -> bool:
    return file.found or file.echoed


def _change_buffer(seen: AgentEvidence) -> Comparison:
    """It holds rows of secondary indexes, in ibdata1; no marker is in a secondary index."""
    name = "innodb_change_buffering"
    if seen.variable(name) is None:
        return exempt(name, "unknown", why="an agent of an earlier version does not report it")
    return seen.setting(name, "none")


def _exemptions(seen: AgentEvidence, flavour: Flavour, scope: frozenset[Scope]) -> list[Comparison]:
    files = [file for file in seen.files if file.kind == "temporary"]
    if not files or "temporary" in scope:
        return []
    why = EXEMPT if "temporary" not in flavour.scopes else "they are outside the scope"
    return [exempt("temporary tables", f"marker {facts.hits(files)}", why=why)]


def _found(seen: AgentEvidence, mode: EncryptionModeSpec, scope: frozenset[Scope]) -> str:
    encrypted = sum(space.encrypted for space in seen.catalogue.tablespaces)
    spaces = facts.count(len(seen.catalogue.tablespaces), "tablespace")
    verb = "are" if encrypted != 1 else "is"
    what = f"{encrypted} of {spaces} {verb} encrypted" if scope else "no tablespace is encrypted"
    return f"{facts.transit(mode.in_transit)}, {what} and the marker is {facts.hits(seen.files)}"
