"""The agent's evidence as typed data, and the checks on it that every engine needs.

Two independent witnesses must agree: what the server says about itself, and what its files hold.
There a freshly written marker must be unreadable where the mode encrypts and readable where it does
not. A search that misses the marker where nothing is encrypted would miss it anywhere, so plaintext
is proven as strictly as encryption. Each engine decides what to judge.

A full proof searches every file; any other reads the marker's own table only, so that the proofs
around a trial leave caches as they are.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from encbench.api.encryptionmode import InTransit
from encbench.proofs.check import Comparison, equals, holds


class Evidence(BaseModel):
    """A part of the evidence, which ignores fields that a later agent adds."""

    model_config = ConfigDict(alias_generator=to_camel)

    @classmethod
    def read(cls, part: object, *place: str) -> Self | Comparison:
        """The evidence's part at `place`; a failed check where it is incomplete."""
        try:
            return cls.model_validate(part)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in (*place, *first["loc"]))
            return Comparison("evidence", "complete", f"{where}: {first['msg']}", ok=False)


class BinaryLog(Evidence):
    """One binary log, as the server lists it."""

    name: str
    encrypted: bool


class Tablespace(BinaryLog):
    """One tablespace, as the catalogue says."""

    busy: bool


class SearchedFile(Evidence):
    """One file that the agent searched."""

    path: str
    kind: str
    size: int = Field(alias="bytes")
    found: bool
    """Whether the marker is readable in it."""
    echoed: bool = False
    """Whether its echo is, for an engine that has one (see `sidecars.agent.probe`)."""


class Catalogue(Evidence):
    """What the server says about itself."""

    variables: dict[str, str]
    plugins: dict[str, str]
    tablespaces: list[Tablespace]
    binary_logs: list[BinaryLog] = []
    other_tables: dict[str, str] | None = None
    """Tables that are not InnoDB's, with their engine; None where the agent does not list them."""


class AgentEvidence(Evidence):
    """The agent's answer."""

    full: bool
    catalogue: Catalogue
    files: list[SearchedFile]
    marker_table: Annotated[str, Field(min_length=1)]
    marker_file: str = ""
    """Where the marker's table lies, for engines that name files by number."""

    def variable(self, name: str) -> str | None:
        """A setting; None when the server does not know it."""
        return self.catalogue.variables.get(name)

    def setting(self, name: str, expected: str) -> Comparison:
        """A check that a setting has this value."""
        return equals(name, expected, self.variable(name))

    def active_plugins(self) -> list[str]:
        """Plugins or components that the server uses."""
        return sorted(n for n, state in self.catalogue.plugins.items() if state == "ACTIVE")

    def file(self, ending: str) -> SearchedFile | None:
        """The file whose path ends with these names."""
        return next((file for file in self.files if f"/{file.path}".endswith(f"/{ending}")), None)


def breadth(
    seen: AgentEvidence, own: SearchedFile | None, kinds: Iterable[str], *, full: bool
) -> list[Comparison]:
    """The evidence covers what it must: an absence proves something only where the agent looked.

    `own` is the marker's table file. A full proof must have read a file of each of `kinds`.
    """
    was_read = own is not None and own.size > 0
    checks = [holds("the marker's table file", was_read, "read", "not read")]
    if full:
        seen_kinds = {file.kind for file in seen.files if file.size > 0}
        missing = [kind for kind in kinds if kind not in seen_kinds]
        text = f"no {', no '.join(missing)}"
        checks.append(holds("files of each kind", not missing, "all read", text))
        checks.append(holds("scope of the search", seen.full, "every file", "one file"))
    return checks


def in_plaintext(
    seen: AgentEvidence, own: SearchedFile | None, kinds: Iterable[str], *, full: bool
) -> list[Comparison]:
    """The marker is readable in its table file and, in a full proof, in some file of each kind."""
    shown = {file.kind for file in seen.files if file.found}
    return [
        present("marker in its table file", own is not None and own.found),
        *(present(f"marker in a {kind} file", kind in shown) for kind in kinds if full),
    ]


def present(name: str, found: bool) -> Comparison:
    """The marker must have been found."""
    return holds(name, found, "readable", "not found")


def known(seen: AgentEvidence, table_file: str) -> Comparison:
    """The catalogue must list the tablespace of this file, or its silence proves nothing."""
    name = table_file.removesuffix(".ibd")
    listed = any(space.name == name for space in seen.catalogue.tablespaces)
    return holds("the catalogue knows the marker's tablespace", listed, "yes", "no")


def hits(files: Sequence[SearchedFile]) -> str:
    """In how many of these files the marker or its echo was found, in words."""
    found = sum(file.found or file.echoed for file in files)
    return f"readable in {found} of {count(len(files), 'file')}"


def transit(in_transit: InTransit | None) -> str:
    """What a proof that holds says about TLS."""
    return "TLS is off" if in_transit is None else "no client connects without TLS"


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
