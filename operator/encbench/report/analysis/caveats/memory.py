"""Caveats about data that a server finds in memory: encryption at rest is hardly exercised then."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.scalars import parse_quantity
from encbench.api.workload import WorkloadSpec
from encbench.core.dataset import dataset_bytes
from encbench.engines.facts import FACTS
from encbench.engines.innodb import settings as innodb
from encbench.engines.postgresql import settings as postgresql
from encbench.report.analysis.caveats.facts import Facts, note
from encbench.report.document import Caveat
from encbench.report.words import text
from encbench.text.rounding import decimals
from encbench.text.words import listed

CACHE_SHARE = 0.8
"""Of a server's memory: what its pool and the page cache may hold of its files together."""
DRAWN = {"special": 1 / 3, "gaussian": 5 / 12}
"""By sysbench's rand-type: the share of its rows, around their middle, from which a script draws 99
of 100. The mean of 12 uniform numbers has a standard deviation of a twelfth of the range: 2.5 of
them to each side hold 98.8 %. `special` draws three rows of four from the hundredth in the middle
and the fourth like that, so 2 to each side hold as many. `uniform` draws from all rows, and
`pareto` has a long tail."""
_SHAPE = ("rand-spec-pct", "rand-spec-iter", "rand-spec-res")
"""Options that change these shares: with them, no part is taken to be enough."""
_BY_ID = {
    *("oltp_delete", "oltp_point_select", "oltp_read_only", "oltp_read_write"),
    *("oltp_update_index", "oltp_update_non_index", "oltp_write_only"),
}
"""Scripts that draw a row by its place in the table; others find rows in all of it by a drawn k."""


class _Room(NamedTuple):
    """What each instance that a workload ran on may hold of its rows decrypted, in bytes."""

    pools: dict[str, float]
    caches: dict[str, float]
    modes: list[EncryptionModeSpec]
    """Those that encrypt at rest."""

    def holds(self, size: float) -> set[str]:
        """The instances that hold so much."""
        return {name for name in self.pools if size < max(self.pools[name], self.caches[name])}


def _drawn(workload: WorkloadSpec) -> float:
    """The share of its rows from which a workload draws nearly all; 1 where that is not known."""
    test = workload.sysbench
    if test is None or test.script not in _BY_ID or any(test.option(it, "") for it in _SHAPE):
        return 1.0
    return DRAWN.get(test.option("rand-type", "special"), 1.0)


def dataset_in_memory(facts: Facts) -> Iterator[Caveat]:
    """Encryption at rest that is hardly exercised."""
    found = [
        fits
        for name, room in _rooms(facts).items()
        if (size := dataset_bytes(facts.resolved.workloads[name], room.modes)) is not None
        for fits in _in_memory(name, size, room)
    ]
    if found:
        yield note(
            title="The dataset fits into memory",
            text=f"{'; '.join(found)}. Pages are decrypted when they are read from disk, which "
            "then hardly happens. With more data than memory encryption at rest can cost more.",
        )


def drawn_rows_in_memory(facts: Facts) -> Iterator[Caveat]:
    """The same of a dataset that does not fit, but of which sysbench draws a part only."""
    found: list[str] = []
    for name, room in _rooms(facts).items():
        workload = facts.resolved.workloads[name]
        size, share = dataset_bytes(workload, room.modes), _drawn(workload)
        if size is not None and share < 1:
            whole = room.holds(size)
            found += _in_memory(name, size * share, room, without=whole, of=size)
    if found:
        yield note(
            title="The rows that sysbench draws fit into memory",
            text=f"{'; '.join(found)}. Its rand-type draws 99 rows of 100 from this part of the "
            "dataset. Pages are decrypted when they are read from disk, which then seldom happens. "
            "With rand-type: uniform, which draws from all rows, encryption at rest can cost more.",
        )


def _rooms(facts: Facts) -> dict[str, _Room]:
    """By workload, where one of the modes encrypts at rest."""
    pools = _pools(facts)
    found: dict[str, _Room] = {}
    for group in facts.groups:
        modes = [facts.resolved.modes[arm.mode_ref] for arm in group.arms]
        if at_rest := [mode for mode in modes if mode.encrypts_at_rest]:
            room = found.setdefault(group.workload, _Room({}, {}, []))
            room.modes.extend(at_rest)
            room.pools[group.instance] = pools.get(group.instance, 0.0)
            cache = _page_cache(facts.resolved.instances[group.instance], modes)
            room.caches[group.instance] = cache
    return found


def _page_cache(instance: InstanceTemplateSpec, modes: Iterable[EncryptionModeSpec]) -> float:
    """Bytes of files that a server may keep decrypted; 0 where it keeps none beside its pool.

    InnoDB reads past the page cache. PostgreSQL reads from it what a volume has decrypted; pages
    that the engine encrypts are encrypted there too.
    """
    by_volume = any(mode.encrypts_at_rest and mode.volume is not None for mode in modes)
    has_cache = FACTS[instance.engine].package == "postgresql"
    if not has_cache or instance.resources is None or not by_volume:
        return 0.0
    return CACHE_SHARE * instance.resources.memory_bytes


def _in_memory(
    workload: str,
    size: float,
    room: _Room,
    *,
    without: Collection[str] = (),
    of: float | None = None,
) -> Iterator[str]:
    """Where so many bytes of a workload's rows fit; `of` are all of them, where these are a part.

    Instances that `without` names are left out.
    """
    fits = [name for name, pool in room.pools.items() if size < pool]
    cached = [name for name, cache in room.caches.items() if name not in fits and size < cache]
    for fitting, sizes, where in (
        (fits, room.pools, "in a buffer pool"),
        (cached, room.caches, "may be in a page cache"),
    ):
        names = [name for name in fitting if name not in without]
        if names:
            on = f" on {listed(names)}" if len(names) < len(room.pools) else ""
            rows = f"{_mebibytes(size)} of {_mebibytes(of)}" if of else _mebibytes(size)
            least = _mebibytes(min(sizes[name] for name in names))
            yield f"{workload}{on}: about {rows} MiB of rows {where} of {least} MiB"


def _mebibytes(size: float) -> str:
    mebibytes = size / parse_quantity("1Mi")
    return text.number(mebibytes, decimals(0, [mebibytes], 0.0))


def _pools(facts: Facts) -> dict[str, float]:
    """The smallest buffer pool of each instance, in bytes."""
    instances = {trial.uid: trial.instance for trial in facts.trials}
    found: dict[str, float] = {}
    for source in facts.sources:
        size = _pool_bytes(source.record.server.settings)
        if size is not None:
            for name in {instances[uid] for uid in source.trials if uid in instances}:
                found[name] = min(float(size), found.get(name, math.inf))
    return found


def _pool_bytes(settings: Mapping[str, str]) -> int | None:
    """The buffer pool by a server's own settings."""
    if innodb.POOL in settings:
        return innodb.parse_size(settings[innodb.POOL])
    return postgresql.parse_size(settings.get(postgresql.POOL.setting, ""))
