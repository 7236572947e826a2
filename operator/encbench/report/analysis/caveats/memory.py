"""Caveats about data that a server finds in memory: encryption at rest is hardly exercised then."""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.scalars import parse_quantity
from encbench.api.workload import WorkloadSpec
from encbench.core.dataset import dataset_bytes
from encbench.core.terminals import REMOTE, worked_on
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


class _Place(NamedTuple):
    """A workload's rows on an instance in a mode that encrypts at rest, in bytes."""

    instance: str
    mode: str
    size: float
    """Encrypted types make it larger in one mode than in another."""
    pool: float
    """What the instance may hold of its rows decrypted, and in `cache` beside it."""
    cache: float


def _drawn(workload: WorkloadSpec) -> float:
    """The share of its rows from which a workload draws nearly all; 1 where that is not known."""
    test = workload.sysbench
    if test is None or test.script not in _BY_ID or any(test.option(it, "") for it in _SHAPE):
        return 1.0
    return DRAWN.get(test.option("rand-type", "special"), 1.0)


def dataset_in_memory(facts: Facts) -> Iterator[Caveat]:
    """Encryption at rest that is hardly exercised."""
    found = [fits for name, places in _places(facts).items() for fits in _in_memory(name, places)]
    if found:
        yield note(
            title="The dataset fits into memory",
            text=f"{'; '.join(found)}. Pages are decrypted when they are read from disk, which "
            "then hardly happens. With more data than memory encryption at rest can cost more.",
        )


def drawn_rows_in_memory(facts: Facts) -> Iterator[Caveat]:
    """The same of a dataset that does not fit, but of which sysbench draws a part only."""
    found: list[str] = []
    for name, places in _places(facts).items():
        share = _drawn(facts.resolved.workloads[name])
        if share < 1:
            found += _in_memory(name, places, share)
    if found:
        yield note(
            title="The rows that sysbench draws fit into memory",
            text=f"{'; '.join(found)}. Its rand-type draws 99 rows of 100 from this part of the "
            "dataset. Pages are decrypted when they are read from disk, which then seldom happens. "
            "With rand-type: uniform, which draws from all rows, encryption at rest can cost more.",
        )


def worked_on_in_memory(facts: Facts) -> Iterator[Caveat]:
    """The same of the warehouses at which TPC-C's terminals stand, where others have none."""
    found: list[str] = []
    for name, places in _places(facts).items():
        tpcc = facts.resolved.workloads[name].tpcc
        if tpcc is None:
            continue
        for level in sorted(facts.levels.get(name, set())):
            share = worked_on(tpcc, level) / tpcc.warehouses
            if share < 1:
                found += _in_memory(f"{name} at {level:,} terminals", places, share)
    if found:
        yield note(
            title="The warehouses that are worked on fit into memory",
            text=f"{'; '.join(found)}. The other warehouses have no terminal, and {REMOTE} alone "
            "reach them. Pages are decrypted when they are read from disk, which then happens for "
            "these and for little else. With more terminals, or with terminalWarehouseFixed: "
            "false, encryption at rest can cost more.",
        )


def _places(facts: Facts) -> dict[str, list[_Place]]:
    """By workload, where one of the modes encrypts at rest and the rows' size is known."""
    pools, cached, by_file = _pools(facts), _through_page_cache(facts), _by_file(facts)
    found: dict[str, dict[tuple[str, str], _Place]] = {}
    for group in facts.groups:
        instance = facts.resolved.instances[group.instance]
        for arm in group.arms:
            name = arm.mode_ref
            mode = facts.resolved.modes[name]
            size = dataset_bytes(facts.resolved.workloads[group.workload], [mode])
            if mode.encrypts_at_rest and size is not None:
                has_cache = group.instance in cached or (group.cell, arm.name) in by_file
                cache = _page_cache(instance, mode) if has_cache else 0.0
                pool = pools.get(group.instance, 0.0)
                place = _Place(group.instance, name, size, pool, cache)
                found.setdefault(group.workload, {})[group.instance, name] = place
    return {workload: [*places.values()] for workload, places in found.items()}


def _page_cache(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> float:
    """Bytes of files that such a server may have decrypted; 0 where there are none beside its pool.

    It reads from the page cache what a volume has decrypted; pages that the engine encrypts are
    encrypted there too.
    """
    if instance.resources is None or mode.volume is None:
        return 0.0
    return CACHE_SHARE * instance.resources.memory_bytes


def _in_memory(workload: str, places: list[_Place], share: float = 1.0) -> Iterator[str]:
    """Where that share of a workload's rows fits; a part is not named where all rows do."""
    for size in dict.fromkeys(one.size for one in places):
        own = [one for one in places if one.size == size]
        if share < 1:
            own = [one for one in own if size >= max(one.pool, one.cache)]
        fits = {one.instance: one.pool for one in own if size * share < one.pool}
        rest = (one for one in own if one.instance not in fits)
        cached = {one.instance: one.cache for one in rest if size * share < one.cache}
        of = f" of {_mebibytes(size)}" if share < 1 else ""
        for rooms, where in ((fits, "in a buffer pool"), (cached, "may be in a page cache")):
            if rooms:
                yield (
                    f"{workload}{_where(size, rooms, places)}: about {_mebibytes(size * share)}"
                    f"{of} MiB of rows {where} of {_mebibytes(min(rooms.values()))} MiB"
                )


def _where(size: float, instances: Collection[str], places: list[_Place]) -> str:
    """The modes with rows of that size, and the instances, unless these are all of them."""
    here = [one for one in places if one.instance in instances]
    modes = dict.fromkeys(one.mode for one in here if one.size == size)
    under = f" under {listed(modes)}" if any(one.size != size for one in here) else ""
    on = f" on {listed(instances)}" if {*instances} < {one.instance for one in places} else ""
    return under + on


def _mebibytes(size: float) -> str:
    mebibytes = size / parse_quantity("1Mi")
    return text.number(mebibytes, decimals(0, [mebibytes], 0.0))


def _through_page_cache(facts: Facts) -> set[str]:
    """Instances of which a server reads its tables through the page cache.

    PostgreSQL does; InnoDB reads past it, unless a template says otherwise.
    """
    said = ((name, innodb.reads_through_page_cache(own)) for name, own in _servers(facts))
    return facts.on_postgresql | {name for name, is_cached in said if is_cached}


def _by_file(facts: Facts) -> set[tuple[str, str]]:
    """Cells and arms on whose disks O_DIRECT may be ignored, so that InnoDB has such a cache."""
    return {(bed.cell, bed.arm) for bed in facts.testbeds if bed.disk and bed.disk.by_file}


def _pools(facts: Facts) -> dict[str, float]:
    """The smallest buffer pool of each instance, in bytes."""
    found: dict[str, float] = {}
    for name, settings in _servers(facts):
        size = _pool_bytes(settings)
        if size is not None:
            found[name] = min(float(size), found.get(name, math.inf))
    return found


def _servers(facts: Facts) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Instances, each with the settings of one of its servers."""
    instances = {trial.uid: trial.instance for trial in facts.trials}
    for source in facts.sources:
        for name in {instances[uid] for uid in source.trials if uid in instances}:
            yield name, source.record.server.settings


def _pool_bytes(settings: Mapping[str, str]) -> int | None:
    """The buffer pool by a server's own settings."""
    if innodb.POOL in settings:
        return innodb.parse_size(settings[innodb.POOL])
    return postgresql.parse_size(settings.get(postgresql.POOL.setting, ""))
