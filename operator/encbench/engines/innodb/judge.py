"""What the judges of MariaDB and MySQL have in common."""

from encbench.proofs.check import Comparison, exempt, none
from encbench.proofs.evidence import AgentEvidence


def only_innodb(seen: AgentEvidence) -> Comparison:
    """The benchmark has no table of another engine, of which InnoDB's catalogue knows nothing."""
    others, name = seen.catalogue.other_tables, "tables that are not InnoDB's"
    if others is None:
        why = "an agent of an earlier version does not list them"
        return exempt(name, "not listed", why=why)
    return none(name, [f"{table} ({engine})" for table, engine in others.items()])
