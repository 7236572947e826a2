"""One run: the ceiling, many campaigns at once, and one with many finished trials."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from encbench.api.conditions import parse_time
from encbench.api.kinds import TRIAL
from tests.bench.scale import inputs, present, process, progress, usage
from tests.bench.scale.api import Api, Body
from tests.bench.scale.ceiling import AT_ONCE, Ceiling
from tests.bench.scale.figures import Figure, Gate, each, pace, percentile
from tests.bench.scale.inputs import SPACE, Plan
from tests.bench.scale.plane import Plane
from tests.bench.scale.pods import Pods
from tests.bench.scale.probes import Probes
from tests.bench.scale.process import Operator
from tests.bench.scale.prometheus import Prometheus
from tests.bench.scale.recording import script
from tests.bench.scale.sidecars import Seen, Sidecars

RATE, OF_CEILING, DRIFT = 20.0, 0.8, 0.2
WRITES, READS, MEBIBYTES, REACTION, LATE, START = 10.0, 8.0, 350.0, 1.0, 0.3, 15.0
SAMPLE = 24
"""Trials that show what one costs in a campaign with few others, and in one with many."""
READING = re.compile(r'verb="(GET|LIST|WATCH|WATCHLIST|CONNECT)"')
LOOK = 0.2
"""Seconds between two looks at a new operator's metrics."""


@dataclass(frozen=True)
class Bench:
    """Everything but the operator."""

    api: Api
    plane: Plane
    prometheus: str
    seen: Seen
    log: Path


async def measured(
    plane: Plane, campaigns: int, trials: int, ceiling: int, finished: int, log: Path
) -> list[Figure]:
    """All figures."""
    plans = inputs.alike(campaigns, trials)
    found: list[Figure] = []
    async with Api(plane.kubeconfig) as api:
        await inputs.prepare(api)
        await inputs.house(api, plans)
        most = None
        if ceiling:
            most, found = await _ceiling(api, plans, ceiling)
        async with _stand_ins(api, plane, log) as bench:
            if trials:
                found += await _at_once(bench, plans, most)
            if finished:
                found += await _many_finished(bench, finished, most)
    return found


def asked_rate(ceiling: float | None) -> Gate:
    """Of trials a second: no operator is faster than the machine without one."""
    return Gate(least=RATE if ceiling is None else min(RATE, OF_CEILING * ceiling))


async def _ceiling(api: Api, plans: Sequence[Plan], trials: int) -> tuple[float, list[Figure]]:
    progress.say(f"ceiling: {trials} trials without the operator")
    replay = Ceiling(api, await script(), inputs.hosts(plans))
    before, asked = _cpu(), await _asked(api)
    ends = await replay.measure(trials)
    seen = pace(ends, max(1, trials // 10), AT_ONCE)
    found = [
        Figure("ceiling without the operator", seen.whole, "trials/s"),
        Figure("writes a trial of all clients, ceiling", (await _asked(api) - asked) / trials),
    ]
    return seen.whole, found + _costs("ceiling", before, trials)


@asynccontextmanager
async def _stand_ins(api: Api, plane: Plane, log: Path) -> AsyncIterator[Bench]:
    pods = Pods(api, SPACE)
    sidecars = Sidecars(pods)
    async with sidecars.serving(), Prometheus(pods).serving() as url, asyncio.TaskGroup() as group:
        following = group.create_task(pods.follow())
        yield Bench(api, plane, url, sidecars.seen, log)
        following.cancel()


async def _at_once(bench: Bench, plans: Sequence[Plan], ceiling: float | None) -> list[Figure]:
    """Campaigns side by side.

    What a trial costs is counted from when each campaign has finished one until half of all are
    done; probes, which cost something too, come after that.
    """
    with process.running(bench.plane, bench.prometheus, bench.log) as operator:
        await inputs.begin(bench.api, plans)
        title, probes = f"{len(plans)} campaigns", Probes(bench.api)

        def has(share: float) -> Callable[[Body], bool]:
            least = max(1, share * plans[0].trials)
            return lambda campaign: progress.done(campaign) >= least

        begun = await progress.until(bench.api, plans, has(0.0), title)
        before, asked, written = _cpu(), operator.requests(), await _asked(bench.api)
        half = await progress.until(bench.api, plans, has(0.5), title)
        trials = half - begun
        costs = _costs("campaigns", before, trials)
        written = (await _asked(bench.api) - written) / trials
        requests = _requests("campaigns", operator, asked, trials)
        probing = asyncio.create_task(probes.run())
        await progress.until(bench.api, plans, progress.is_over, title)
        probing.cancel()
        memory = usage.now()["operator"].most
    ends, whole = await _ends(bench.api), sum(plan.trials for plan in plans)
    seen = pace(ends, min(1000, max(1, len(ends) // 10)), len(plans))
    reactions = {
        "reaction to a new campaign": probes.seconds,
        "stand-ins see a client run to first question to its recorder": bench.seen.reactions,
    }
    return [
        Figure("trials that ended", len(ends), "", Gate(least=whole, most=whole)),
        Figure("rate", seen.whole, "trials/s", asked_rate(ceiling)),
        Figure("rate at the end to the beginning", seen.drift, "", Gate(1 + DRIFT, 1 - DRIFT)),
        *requests,
        Figure("writes a trial of all clients, campaigns", written),
        Figure("memory, campaigns", memory, "MiB", Gate(MEBIBYTES)),
        *(
            Figure(f"{what}, p99", percentile(seconds, 0.99), "s", Gate(REACTION))
            for what, seconds in reactions.items()
        ),
        Figure("latest release", max(bench.seen.late, default=0.0), "s", Gate(LATE)),
        *costs,
    ]


async def _many_finished(bench: Bench, trials: int, ceiling: float | None) -> list[Figure]:
    """One campaign: what a trial costs among few, and, after a new start, among many."""
    rate = asked_rate(ceiling)
    plan = Plan(inputs.BIG, present.blocks(trials), present.CONCURRENCY)
    await inputs.house(bench.api, [plan])
    with process.running(bench.plane, bench.prometheus, bench.log) as operator:
        await inputs.begin(bench.api, [plan])
        few = await _sample(bench, operator, plan, 0, "among few", Gate())
    progress.say(f"copies a trial until there are {trials}")
    held, kept = usage.now(), await _stored(bench.api)
    there = await present.fill(bench.api, plan.name, trials)
    memory_each = (usage.now()["API server"].resident - held["API server"].resident) * 1024 / there
    stored_each = (await _stored(bench.api) - kept) / 1024 / there
    began = time.monotonic()
    with process.running(bench.plane, bench.prometheus, bench.log) as operator:
        while operator.finished(plan.name) < there - 1:  # noqa: ASYNC110 - another process
            await asyncio.sleep(LOOK)
        start = time.monotonic() - began
        many = await _sample(bench, operator, plan, there, "among many", rate)
        memory = usage.now()["operator"].most
    return [
        Figure("finished trials of one campaign", there),
        Figure("start with them, to the first decision", start, "s", Gate(START)),
        Figure("memory with them", memory, "MiB", Gate(MEBIBYTES)),
        Figure("API server's memory for each", memory_each, "KiB"),
        Figure("etcd's space for each, its history included", stored_each, "KiB"),
        *few,
        *many,
    ]


async def _sample(
    bench: Bench, operator: Operator, plan: Plan, there: int, title: str, rate: Gate
) -> list[Figure]:
    """What a trial costs after the first ones, which wait for the testbeds."""
    begun = await progress.until(
        bench.api, [plan], lambda one: progress.done(one) > there + 1, title
    )
    before, asked, since = _cpu(), operator.requests(), time.monotonic()
    enough = begun + SAMPLE
    over = await progress.until(bench.api, [plan], lambda one: progress.done(one) >= enough, title)
    seconds, trials = time.monotonic() - since, over - begun
    costs = [one for one in _costs(title, before, trials) if "operator" in one.what]
    own = [Figure(f"rate, {title}", trials / seconds, "trials/s", rate)]
    return [*own, *_requests(title, operator, asked, trials), *costs]


def _requests(
    title: str, operator: Operator, before: tuple[float, float], trials: int
) -> list[Figure]:
    reads, writes = operator.requests()
    return [
        Figure(f"writes a trial, {title}", (writes - before[1]) / trials, "", Gate(WRITES)),
        Figure(f"reads a trial, {title}", (reads - before[0]) / trials, "", Gate(READS)),
    ]


async def _asked(api: Api) -> float:
    """Writes of all clients that the API server has counted."""
    text, found = await api.text("/metrics"), 0.0
    for labels, value in re.findall(r"^apiserver_request_total\{(.*)\} (\S+)$", text, re.MULTILINE):
        if not READING.search(labels):
            found += float(value)
    return found


async def _stored(api: Api) -> float:
    """Bytes of etcd's database, as the API server reports them."""
    text = await api.text("/metrics")
    sizes = re.findall(r"^apiserver_storage_size_bytes\{[^}]*\} (\S+)$", text, re.MULTILINE)
    return sum(map(float, sizes))


async def _ends(api: Api) -> list[float]:
    """When each trial's record was stored, by its own account."""
    found = []
    for body in await api.all(TRIAL, SPACE):
        for fact in (body.get("status") or {}).get("conditions") or []:
            if fact["type"] == "Archived" and fact["status"] == "True":
                found.append(parse_time(fact["lastTransitionTime"]).timestamp())
    return found


def _cpu() -> dict[str, float]:
    return {name: used.cpu for name, used in usage.now().items()}


def _costs(title: str, before: dict[str, float], trials: int) -> list[Figure]:
    """CPU of every process."""
    spent = each(before, _cpu(), trials)
    return [Figure(f"CPU a trial, {title}: {name}", spent[name], "ms") for name in sorted(spent)]
