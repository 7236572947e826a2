"""An audit of published tables: pure, from the files' content to checks and findings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from encbench.audit import agreement, findings
from encbench.audit.checks import OverheadCheck, Source, checks
from encbench.audit.findings import AuditFinding
from encbench.audit.shapes import Naming, named, recognise
from encbench.audit.tables import BadInput, PublishedTable


@dataclass(frozen=True)
class Audit:
    """The result of an audit."""

    sources: tuple[Source, ...]
    checks: tuple[OverheadCheck, ...]
    findings: tuple[AuditFinding, ...]
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Checks by verdict."""
        return dict(Counter(check.verdict for check in self.checks))


def audit(tables: Sequence[PublishedTable], naming: Naming | None) -> Audit:
    """Recompute all published overheads; without a naming each table must have a known shape.

    BadInput where a table cannot be understood or holds no published overhead at all.
    """
    shapes = named(naming, tables) if naming else [recognise(table) for table in tables]
    sources = [Source(table, shape) for table, shape in zip(tables, shapes, strict=True)]
    found = checks(sources)
    if not found:
        raise BadInput("there is no published overhead to check: every cell of it is empty")
    said = agreement.statements(sources)
    return Audit(
        sources=tuple(sources),
        checks=tuple(found),
        findings=tuple(
            findings.findings(found, agreement.repeats(found), agreement.disagreements(said), said)
        ),
        notes=tuple(findings.notes(found)),
    )
