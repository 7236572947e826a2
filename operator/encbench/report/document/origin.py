"""What the figures of the report were made with, and the proofs of it."""

from pydantic import Field

from encbench.api.base import Model
from encbench.api.overheadreport import Artefact
from encbench.api.scalars import Name


class TestbedProof(Model):
    """The full proof of one testbed."""

    __test__ = False

    testbed: str
    instance: Name
    arm: Name
    ok: bool
    summary: str
    key: str | None = None
    digest: str | None = None


class FactValue(Model):
    """One value of a fact, and where it held: `instance/arm`, empty for everywhere."""

    value: str
    where: tuple[str, ...] = ()


class Fact(Model):
    """One thing that the figures were made with."""

    name: str
    values: tuple[FactValue, ...]


class Provenance(Model):
    """What the figures were made with."""

    facts: tuple[Fact, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    """Flags that every database node's CPU has and that matter for encryption."""
    settings_differing: tuple[Fact, ...] = ()
    """Server settings that are not the same in every arm of an instance."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Server settings that are the same in every database, so that two reports can be compared."""
    settings_equal: int = 0
    """How many those are."""
    records: tuple[Artefact, ...] = ()
    """The records behind this, with every setting."""
