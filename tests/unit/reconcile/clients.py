"""The client's side of a simulated trial: the recorder in time, and what it leaves in the store."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from encbench.core.artefact import digest_of
from encbench.core.tls import PLAIN, TlsSession
from encbench.ports import Access
from encbench.wire.files import SLICES
from encbench.wire.recorder import ClockOffset, StateAnswer
from encbench.wire.slices import SLICES_SCHEMA, OwnSlots, SliceRow, SlicesFile
from tests.support.fake_recorder import FakeClient, FakeRecorder, Upload
from tests.unit.reconcile.timeline import Timeline

LINGER = 10.0
"""Seconds for which a recorder whose files are stored can still be asked."""
UPLOAD_AGAIN = 2.0
LATER = ("loadBegan", "machine")
"""What the summaries of 0.1.0 lack."""


@dataclass(frozen=True)
class Plan:
    """How one client's run goes."""

    warmup: int
    duration: int
    tps: float
    threads: int = 2
    exit_code: int = 0
    skew: float = 0.0
    """The client's clock minus everybody else's."""
    late: float = 0.0
    """Seconds by which it starts after it was to."""
    connects: float = 0.0
    """Seconds from then until its load begins."""
    errors: int = 0
    tool: str = "sysbench"
    session: TlsSession | None = PLAIN
    """What its session tells; None is nothing."""
    digest: str = ""
    """Of the row that it reads at the beginning and at the end; empty for none."""
    throttled: float = 0.0
    """Seconds for which it was throttled in the window."""
    left_out: int = 0
    """Of its slots, how many of the last it does not run in."""
    margin: int = 0
    """Seconds for which it would run on if nobody cut it off."""
    lines: int = 0
    """Periodic lines of a run that was cut off, from its first second on."""
    earlier: bool = False
    """Its recorder is that of 0.1.0."""


@dataclass
class Recorder:
    """Moves one client through its run as time passes."""

    client: FakeClient
    timeline: Timeline
    plan: Plan
    upload: Upload
    ended: Callable[["Recorder"], None]
    """Told when the tool's process and the recorder's are over."""
    measured: Callable[[float], None]
    """Told when the tool's process is over, with the time when it began."""
    releases: int = 0
    began: float = 0.0
    testbed: str = ""
    """The testbed that it drives."""

    @property
    def message(self) -> str:
        """The termination message."""
        return json.dumps({"prefix": "somewhere", "digests": self.client.digests})

    def released(self) -> None:
        """Told of each release."""
        self.releases += 1
        if self.client.status == "released" and self.client.start_at is not None:
            start_at = self.client.start_at - self.plan.skew + self.plan.late
            self.timeline.at(start_at, self._start)

    def seen(self) -> None:
        """The operator knows that everything is stored: no need to linger."""
        self.timeline.after(0.1, self._exit)

    def die(self) -> None:
        """As if the pod were deleted or the process killed."""
        self.client.away, self.client.status = True, None

    def _start(self) -> None:
        if self.client.status == "released":
            self.client.run(self.plan.tps)
            began = self.timeline.clock.time
            seconds = self.plan.warmup + self.plan.duration + self.plan.margin
            self.began = began
            self.timeline.after(seconds + 0.05, lambda: self._finish(began))

    def _finish(self, began: float) -> None:
        if self.client.status == "running":
            files = artefacts(self.plan, began + self.plan.skew, self.client.clock)
            if self.client.slots is not None:
                files[SLICES] = slices(self.plan, began + self.plan.skew, self.client.slots)
            self.client.finish(self.plan.exit_code, files=files)
            self.measured(began)
            self.timeline.after(0.2, self._store)

    def cut(self) -> None:
        """The server was stopped under it."""
        if self.client.status == "running":
            seconds = int(self.timeline.clock.time - self.began + 0.5)
            self.plan = replace(self.plan, exit_code=1, lines=seconds)
            self._finish(self.began)

    def _store(self) -> None:
        if self.client.status != "finished":
            return
        self.client.store(self.upload)
        stored = self.client.status != "finished"
        if stored:
            self.timeline.after(LINGER, self._exit)
        else:
            self.timeline.after(UPLOAD_AGAIN, self._store)

    def _exit(self) -> None:
        if not self.client.away:
            self.client.away = True
            self.ended(self)


@dataclass
class Recorders(FakeRecorder):
    """The fake recorders, with clients that move by themselves."""

    recorders: dict[str, Recorder] = field(default_factory=dict)
    """By address, as `clients` is."""
    away: bool = False
    """None of them can be reached."""

    def add(self, address: str, recorder: Recorder) -> None:
        self.recorders[address] = recorder
        self.clients[address] = recorder.client
        recorder.client.wait()

    def remove(self, address: str) -> None:
        if (recorder := self.recorders.pop(address, None)) is not None:
            recorder.die()
            del self.clients[address]

    async def state(self, address: str, access: Access) -> StateAnswer:
        body = await super().state(*self._reached(address, access))
        if body["state"] == "uploaded":
            self.recorders[address].seen()
        return body

    async def release(
        self,
        address: str,
        access: Access,
        start_at: float,
        uploads: Mapping[str, str],
        slots: OwnSlots | None = None,
        clock: ClockOffset | None = None,
        authority: str | None = None,
    ) -> StateAnswer:
        where = self._reached(address, access)
        body = await super().release(*where, start_at, uploads, slots, clock, authority)
        self.recorders[address].released()
        return body

    def _reached(self, address: str, access: Access) -> tuple[str, Access]:
        return ("nobody" if self.away else address), access


def artefacts(plan: Plan, began: float, clock: ClockOffset | None = None) -> dict[str, bytes]:
    """What the recorder stores of a run that began at that time by the client's clock."""
    start, end = began + plan.warmup, began + plan.warmup + plan.duration
    log = (tpcc_log(plan) if plan.tool == "tpcc" else sysbench_log(plan)).encode()
    stamp = {"unix": began, "monotonic": 100.0}
    window = {"start": start, "end": end, "seconds": float(plan.duration)}
    summary = {
        "schema": "encbench.io/client-summary/v1",
        "tool": plan.tool,
        "exitCode": plan.exit_code,
        "began": stamp,
        "loadBegan": {"unix": began + plan.connects, "monotonic": 100.0 + plan.connects},
        "ended": {
            "unix": end,
            "monotonic": 100.0 + plan.warmup + plan.duration + min(0, plan.margin),
        },
        "window": window if plan.exit_code == 0 else None,
        "cpuSeconds": 0.25 * plan.duration if plan.exit_code == 0 else None,
        "cpuLimitCores": 0.5,
        "memoryMaxBytes": 8 << 20,
        "memoryLimitBytes": 64 << 20,
        "throttledSeconds": plan.throttled,
        "clockSkewSeconds": 0.0,
        "clockOffset": clock,
        "machine": {"kernel": "6.1.0", "cpuModel": "Client's CPU", "aes": True},
        "output": {"bytes": len(log), "digest": digest_of(log)},
    }
    if plan.earlier:
        summary = {name: value for name, value in summary.items() if name not in LATER}
    lines = ["time,tps,qps,latency_p95_ms,errors,cpu_seconds,resident_bytes"]
    lines += [
        f"{began + second:.3f},{plan.tps:.2f},{plan.tps * 20:.2f},2.0,0,{second * 0.25},8388608"
        for second in range(1, plan.warmup + plan.duration + 1)
    ]
    return {
        "output.log": log,
        "series.csv": ("\n".join(lines) + "\n").encode(),
        "summary.json": json.dumps(summary).encode(),
    }


def slices(plan: Plan, began: float, slots: OwnSlots) -> bytes:
    """What the turnstile writes of a client that keeps its timetable."""
    counted = slots["slice"] - slots["settle"]
    rows = []
    for slot in slots["own"][: len(slots["own"]) - plan.left_out]:
        begin = began + slots["warmup"] + slot * slots["period"]
        rows.append(
            SliceRow(
                slice=slot,
                begin=begin,
                counted=begin + slots["settle"],
                end=begin + slots["slice"],
                transactions=round(plan.tps * counted),
                allTransactions=round(plan.tps * slots["slice"]),
                newOrders=0,
                cpuSeconds=0.25 * counted,
            )
        )
    made = sum(row["transactions"] or 0 for row in rows)
    file = SlicesFile(schema=SLICES_SCHEMA, slices=rows, spanned=0, latency=[(1.9, 2.1, made)])
    return json.dumps(file).encode()


def sysbench_log(plan: Plan) -> str:
    """The least that sysbench 1.0 writes in a complete run, or in one that a fatal error ended."""
    count = round(plan.tps * plan.duration)
    head = [
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)",
        f"Number of threads: {plan.threads}",
        *([f"Report checkpoint(s) at {plan.warmup} seconds"] if plan.warmup else []),
        *(told(plan.session) if plan.session else []),
        *_row(plan),
        "Threads started!",
    ]
    if plan.exit_code:
        periodic = [_periodic(plan, second) for second in range(1, plan.lines + 1)]
        return "\n".join([*head, *periodic, "FATAL: the connection was lost", ""])
    if plan.warmup:
        warm = round(plan.tps * plan.warmup)
        head += [f"[ {plan.warmup}s ] Checkpoint report:", *_report(plan, warm, plan.warmup)]
    histogram = ["Latency histogram (values are in milliseconds)", f"  2.000 |**** {count}"]
    end = _report(plan, count, plan.warmup + plan.duration)
    return "\n".join([*head, *_row(plan), *histogram, *end, ""])


def _row(plan: Plan) -> list[str]:
    """The line of a script that reads a row."""
    return [f"encbench-columns sbtest1 {plan.digest}"] if plan.digest else []


def _periodic(plan: Plan, second: int) -> str:
    return (
        f"[ {second}s ] thds: {plan.threads} tps: {plan.tps:.2f} qps: {plan.tps * 20:.2f} "
        f"(r/w/o: {plan.tps * 10:.2f}/{plan.tps * 6:.2f}/{plan.tps * 4:.2f}) "
        f"lat (ms,95%): 2.00 err/s: {plan.errors:.2f} reconn/s: 0.00"
    )


def told(session: TlsSession) -> list[str]:
    """The line in which a session tells what it negotiated."""
    return [f"encbench-session tls={session.tls} cipher={session.cipher}"]


def tpcc_log(plan: Plan) -> str:
    """The least that our own TPC-C client writes, with TPC-C's usual mix."""
    count = round(plan.tps * plan.duration)
    lines: list[dict[str, object]] = [{"event": "started"}, {"event": "window", "unix": 1.0}]
    if plan.exit_code:
        lines = [{"event": "result", "complete": False, "reason": "the connection was lost"}]
        return "\n".join([*_told(plan), *map(_line, lines), ""])
    share = {"newOrder": 45, "payment": 43, "orderStatus": 4, "delivery": 4}
    counts = {kind: count * percent // 100 for kind, percent in share.items()}
    counts["stockLevel"] = count - sum(counts.values())
    types = [
        {
            "event": "type",
            "type": kind,
            "committed": n,
            "rolledBack": 0,
            "errors": 0,
            "histogramUs": [[2000, n]],
        }
        for kind, n in counts.items()
    ]
    result = {
        "event": "result",
        "complete": True,
        "window": {"start": 1.0, "end": 1.0 + plan.duration, "seconds": float(plan.duration)},
        "tpmC": counts["newOrder"] * 60 / plan.duration,
        "tpmTotal": count * 60 / plan.duration,
        "transactions": count,
        "retries": 2,
        "errors": plan.errors,
        "latencyMs": {"average": 2.0, "min": 0.5, "max": 9.0},
        "traffic": {"statements": 20 * count, "roundTrips": 20 * count, "cells": 90 * count},
        "session": {"reconnects": 0},
    }
    end: list[dict[str, object]] = [{"event": "windowEnd", "unix": 2.0}, *types, result]
    return "\n".join([*_told(plan), *map(_line, [*lines, *end]), ""])


def _told(plan: Plan) -> list[str]:
    return told(plan.session) if plan.session else []


def _line(event: dict[str, object]) -> str:
    return f"encbench-tpcc {json.dumps(event)}"


def _report(plan: Plan, count: int, total: int) -> list[str]:
    return [
        "SQL statistics:",
        f"    transactions:      {count} (1 per sec.)",
        f"    queries:           {count * 20} (1 per sec.)",
        f"    ignored errors:    {plan.errors} (0.00 per sec.)",
        "    reconnects:        0 (0.00 per sec.)",
        f"    total time:        {total}.0000s",
        "         min:          0.50",
        "         max:          9.00",
        f"         sum:          {count * 2.0:.2f}",
        f"    events (avg/stddev):  {count / plan.threads:.4f}/0.00",
    ]
