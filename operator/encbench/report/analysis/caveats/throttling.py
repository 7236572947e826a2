"""The caveat about CPU limits that hold up what uses less than they allow.

Linux lets a container run until the limit of a period is used up, of 100 ms as a rule, and then
holds it up until the next one. Threads wake in bursts, so that happens at a mean far below the
limit, and from there on latency is the limit's.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from encbench.api.overheadreport import Row, Saturation
from encbench.report.analysis.caveats.facts import Facts, note
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.words import text
from encbench.text.words import listed

HELD_UP_PERCENT = 10.0
"""Of the periods of a CPU limit, the mean over an arm's trials."""


class _Part(NamedTuple):
    key: Literal["database", "proxy", "volume"]
    name: str
    bound: Sequence[Saturation]
    """What says so already."""
    field: str


_PARTS = (
    _Part("database", "server", ("DatabaseBound", "Both"), "resources.cpu of its InstanceTemplate"),
    _Part("proxy", "proxy", ("ProxyBound",), "columns.resources.cpu of the mode"),
    _Part(
        "volume",
        "file system",
        ("VolumeBound",),
        "atRest.volume.gocryptfs.resources.cpu of the mode",
    ),
)


def held_up(facts: Facts) -> Iterator[Caveat]:
    """Arms whose latency or TPS a limit shaped that their mean CPU did not reach."""
    for part in _PARTS:
        worst: dict[str, tuple[float, str]] = {}
        for group in facts.groups:
            for row in group.rows:
                share = _share(facts, part, group, row)
                if share is not None and share >= HELD_UP_PERCENT:
                    worst[row.arm] = max(worst.get(row.arm, (0.0, "")), (share, group.place))
        if worst:
            shares = [
                f"{text.number(share, 0)} % in arm {arm} ({place})"
                for arm, (share, place) in sorted(worst.items())
            ]
            yield note(
                title=f"Its CPU limit held the {part.name} up",
                text=f"Of the periods of that limit, of 100 ms as a rule: {listed(shares)}. Its "
                "mean CPU was below the limit, but its threads wake in bursts and then wait for "
                "the next period. Latency and TPS are partly the limit's, and an arm that needs a "
                f"little more CPU waits more often. To measure without that, raise {part.field}.",
            )


def _share(facts: Facts, part: _Part, group: Group, row: Row) -> float | None:
    """Percent; None where it is not known, not judged, or said by another caveat."""
    bound = {row.saturation, *group.beside.get(row.arm, ())} & {*part.bound}
    if group.primary == "recovery" or (bound and group.offered_tps is None):
        return None
    shares = [
        trial.held_up_percent[part.key]
        for trial in facts.counted
        if group.has(trial) and trial.arm == row.arm
        if trial.held_up_percent is not None and part.key in trial.held_up_percent
    ]
    return sum(shares) / len(shares) if shares else None
