"""Whether a mode is in force on a MariaDB, judged from the agent's evidence.

Two independent witnesses must agree: what the server says of itself (variables, key plugin, the
state of each tablespace) and what lies in its files, where a freshly written marker must be
unreadable under TDE and readable in plaintext. A search that does not find the marker where
nothing is encrypted would not find it anywhere, so a plaintext arm is proven as strictly as an
encrypted one.

A full proof looks through every file; any other one reads the marker's own table only, so that the
proofs around a trial leave caches as they are.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encbench.api.encryptionmode import AtRest, EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.mariadb import marker
from encbench.engines.proof import Check, conclude, equals

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
"""Kinds of files that may hold plaintext under TDE, and why. They hold no rows of InnoDB tables;
the benchmark's tables are InnoDB's."""
MARKED = ("redo", "binlog")
"""Kinds, beside the table, in which a marker that was just written must lie when in plaintext."""


class _Tablespace(BaseModel):
    name: str
    encrypted: bool
    busy: bool


class _File(BaseModel):
    path: str
    kind: str
    size: int = Field(alias="bytes")
    found: bool


class _Catalogue(BaseModel):
    variables: dict[str, str]
    plugins: dict[str, str]
    tablespaces: list[_Tablespace]


class _Evidence(BaseModel):
    """The agent's answer; fields that a later agent adds are no concern of the proof."""

    model_config = ConfigDict(populate_by_name=True)

    full: bool
    catalogue: _Catalogue
    files: list[_File]
    marker_table: Annotated[str, Field(alias="markerTable", min_length=1)]


def judge(evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool) -> Proof:
    """The proof of `mode` from this evidence."""
    name = "plaintext" if mode.at_rest is None else f"TDE with {mode.at_rest.algorithm}"
    try:
        seen = _Evidence.model_validate(evidence)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        lacking = Check("evidence", "complete", f"{place}: {first['msg']}", ok=False)
        return conclude(name, "", [lacking], [], evidence)
    checks = [*_breadth(seen, full), equals("log_bin", "ON", _variable(seen, "log_bin"))]
    if mode.at_rest is None:
        checks += [*_plain_catalogue(seen), *_readable(seen, full)]
        return conclude(name, _found_plain(seen), checks, [], evidence)
    checks += [*_encrypted_catalogue(seen, mode.at_rest), *_unreadable(seen)]
    return conclude(name, _found_encrypted(seen), checks, _exemptions(seen), evidence)


def _breadth(seen: _Evidence, full: bool) -> list[Check]:
    """That the evidence covers what it must: an absence proves something only where one looked."""
    own = _marker_file(seen)
    read = own is not None and own.size > 0
    checks = [Check("the marker's table file", "read", "read" if read else "not read", read)]
    if full:
        wanted = ("table", *MARKED)
        kinds = {file.kind for file in seen.files if file.size > 0}
        missing = [kind for kind in wanted if kind not in kinds]
        text = f"no {', no '.join(missing)}" if missing else "all read"
        checks.append(Check("files of each kind", "all read", text, not missing))
        scope = "every file" if seen.full else "one file"
        checks.append(Check("scope of the search", "every file", scope, seen.full))
    return checks


def _encrypted_catalogue(seen: _Evidence, at_rest: AtRest) -> list[Check]:
    spaces = seen.catalogue.tablespaces
    own = f"{marker.table_file(seen.marker_table).removesuffix('.ibd')}"
    listed = any(space.name == own for space in spaces)
    algorithm = _variable(seen, "file_key_management_encryption_algorithm")
    return [
        equals("innodb_encrypt_tables", "FORCE", _variable(seen, "innodb_encrypt_tables")),
        *(equals(switch, "ON", _variable(seen, switch)) for switch in SWITCHES),
        equals("encryption algorithm", at_rest.algorithm, algorithm and algorithm.upper()),
        equals(f"plugin {KEY_PLUGIN}", "ACTIVE", seen.catalogue.plugins.get(KEY_PLUGIN)),
        Check(
            "the catalogue knows the marker's tablespace", "yes", "yes" if listed else "no", listed
        ),
        _none("tablespaces in plaintext", [s.name for s in spaces if not s.encrypted]),
        _none("tablespaces being encrypted or decrypted", [s.name for s in spaces if s.busy]),
    ]


def _plain_catalogue(seen: _Evidence) -> list[Check]:
    active = sorted(name for name, state in seen.catalogue.plugins.items() if state == "ACTIVE")
    encrypted = [space.name for space in seen.catalogue.tablespaces if space.encrypted]
    return [
        *(
            equals(switch, "OFF", _variable(seen, switch))
            for switch in ("innodb_encrypt_tables", *SWITCHES)
        ),
        _none("active key plugins", active),
        _none("encrypted tablespaces", encrypted),
    ]


def _unreadable(seen: _Evidence) -> list[Check]:
    readable = [file.path for file in seen.files if file.found and file.kind not in EXEMPT]
    return [_none("files in which the marker is readable", readable)]


def _readable(seen: _Evidence, full: bool) -> list[Check]:
    own = _marker_file(seen)
    found = own is not None and own.found
    checks = [_present("marker in its table file", found)]
    if full:
        checks += [
            _present(f"marker in a {kind} file", any(f.found for f in seen.files if f.kind == kind))
            for kind in MARKED
        ]
    return checks


def _exemptions(seen: _Evidence) -> list[Check]:
    return [
        Check(
            f"exempt: {file.path}",
            f"anything, for {EXEMPT[file.kind]}",
            "marker readable" if file.found else "marker not found",
            ok=True,
        )
        for file in seen.files
        if file.kind in EXEMPT
    ]


def _found_encrypted(seen: _Evidence) -> str:
    exempt = sum(file.kind in EXEMPT for file in seen.files)
    searched = len(seen.files) - exempt
    left = f" ({exempt} exempt)" if exempt else ""
    return (
        f"all {len(seen.catalogue.tablespaces)} tablespaces are encrypted and the marker is "
        f"readable in none of {_count(searched, 'file')}{left}"
    )


def _found_plain(seen: _Evidence) -> str:
    hits = sum(file.found for file in seen.files)
    return (
        "no tablespace is encrypted and the marker is readable in "
        f"{hits} of {_count(len(seen.files), 'file')}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _variable(seen: _Evidence, name: str) -> str | None:
    return seen.catalogue.variables.get(name)


def _marker_file(seen: _Evidence) -> _File | None:
    ending = f"/{marker.table_file(seen.marker_table)}"
    return next((file for file in seen.files if f"/{file.path}".endswith(ending)), None)


def _none(name: str, found: Sequence[str]) -> Check:
    shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return Check(name, "none", shown or "none", not found)


def _present(name: str, found: bool) -> Check:
    return Check(name, "readable", "readable" if found else "not found", found)
