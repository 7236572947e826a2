"""What the index of a report names, and in which order."""

from dataclasses import replace

from encbench.reconcile.campaign.ledger import LedgerLine, line
from encbench.reconcile.campaign.publish import _when
from tests.unit.reconcile.seen import NOW, a_trial, ago


def ended(name: str, created: float, released: float | None = None) -> LedgerLine:
    """A trial that was created, and maybe released, so many seconds ago."""
    trial = replace(a_trial(outcome="Failed"), name=name, created=ago(created))
    at = None if released is None else NOW.timestamp() - released
    return replace(line(trial), release_at=at)


def test_a_trial_that_never_ran_stands_where_it_was_created() -> None:
    first, never, last = ended("c", 300, 290), ended("b", 200), ended("a", 100, 90)
    assert sorted([last, never, first], key=_when) == [first, never, last]
