"""Column encryption in the report: which columns, and the tables of published studies."""

from encbench.api.base import Model
from encbench.api.scalars import Name


class EncryptedColumns(Model):
    """The columns that a mode encrypts in the tables of a workload."""

    mode: Name
    workload: Name
    algorithm: str
    ratio: int | None = None
    """As the mode names it; None where it has a list of its own."""
    columns: tuple[str, ...]
    """table.column, in the order of the schema."""
    of: int
    """Columns that the workload's tables have."""
    share: float
    """The first of the second, as a fraction."""


class StudyColumn(Model):
    """One column of a study's table: its name as it was published, and what it holds."""

    name: str
    unit: str = ""
    """What it is measured in, where the name does not say it."""
    formula: str = ""
    """How it follows from other columns; empty where it was measured."""


class StudyTable(Model):
    """A table with the header of a published one, so that both can be laid side by side."""

    name: str
    """Also of its file: `study-<name>.csv`."""
    title: str
    columns: tuple[StudyColumn, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
