"""An audit of published tables: pure, from the files' content to checks and findings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from encbench.audit import agreement, findings
from encbench.audit.anomalies import anomalies
from encbench.audit.checks import OverheadCheck, Source, checks
from encbench.audit.findings import AuditFinding
from encbench.audit.naming import Naming, shapes, unknown
from encbench.audit.plausible import unlawful
from encbench.audit.signs import signs
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
    """Recompute all overheads; without a naming the tables with a known header alone.

    A table that cannot be understood beside one that can is a finding. BadInput where none can, or
    where there is nothing to recompute.
    """
    found = shapes(naming, tables)
    sources = [Source(t, shape) for t, shape in zip(tables, found, strict=True) if shape]
    checked = checks(sources)
    if not checked:
        raise BadInput("there is no overhead to check or compute: every cell of it is empty")
    said = agreement.statements(sources)
    left_out = [
        AuditFinding("unchecked", (), f"{unknown(naming, table)}.")
        for table, shape in zip(tables, found, strict=True)
        if shape is None
    ]
    wrong = findings.findings(
        checked, agreement.repeats(checked), agreement.disagreements(said), said
    )
    return Audit(
        sources=tuple(sources),
        checks=tuple(checked),
        findings=(*anomalies(sources), *wrong, *left_out),
        notes=(*findings.notes(checked), *signs(sources, checked), *unlawful(sources)),
    )
