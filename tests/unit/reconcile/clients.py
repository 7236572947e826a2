"""The client's side of a simulated trial: the recorder, and what it leaves in the store."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from encbench.core.artefact import digest_of
from encbench.ports import Body, Rejected, Unavailable
from tests.unit.reconcile.timeline import Timeline

FILES = ("output.log", "series.csv", "summary.json")
LINGER = 10.0


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
    errors: int = 0


@dataclass
class Recorder:
    """One recorder: waiting, released, running, finished, uploaded."""

    timeline: Timeline
    token: str
    plan: Plan
    upload: Callable[[str, bytes], int]
    ended: Callable[["Recorder"], None]
    """Told when the tool's process and the recorder's are over."""
    measured: Callable[[float], None] = lambda began: None
    """Told when the tool's process is over, with the time when it began."""
    state: str = "waiting"
    start_at: float | None = None
    uploads: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    error: str = ""
    releases: int = 0

    @property
    def clock(self) -> float:
        return self.timeline.clock.time + self.plan.skew

    @property
    def digests(self) -> dict[str, str]:
        return {name: digest_of(content) for name, content in self.files.items()}

    @property
    def message(self) -> str:
        """The termination message."""
        return json.dumps({"prefix": "somewhere", "digests": self.digests})

    def snapshot(self) -> Body:
        if self.state == "uploaded":
            # Somebody knows: it need not linger.
            self.timeline.after(0.1, self._exit)
        window = json.loads(self.files["summary.json"])["window"] if self.files else None
        return {
            "state": self.state,
            "startAt": self.start_at,
            "window": window and {"start": window["start"], "end": window["end"]},
            "exitCode": self.plan.exit_code if self.files else None,
            "lastTps": None,
            "digests": self.digests,
            "clock": self.clock,
            "error": self.error or None,
        }

    def release(self, start_at: float, uploads: Mapping[str, str]) -> None:
        self.releases += 1
        self.uploads, self.error = dict(uploads), ""
        if self.state == "waiting":
            self.state, self.start_at = "released", start_at
            self.timeline.at(start_at - self.plan.skew, self._start)

    def die(self) -> None:
        """As if the pod were deleted or the process killed."""
        self.state = "dead"

    def _start(self) -> None:
        if self.state == "dead":
            return
        self.state = "running"
        began = self.timeline.clock.time
        seconds = self.plan.warmup + self.plan.duration
        self.timeline.after(seconds + 0.05, lambda: self._finish(began))

    def _finish(self, began: float) -> None:
        if self.state == "dead":
            return
        self.files = artefacts(self.plan, began + self.plan.skew)
        self.measured(began)
        self.state = "finished"
        self.timeline.after(0.2, self._upload)

    def _upload(self) -> None:
        if self.state == "dead":
            return
        for name in FILES:
            status = self.upload(self.uploads[name], self.files[name])
            if status == 403:
                self.error = f"the object store refused {name}: 403"
            if status not in (200, 412):
                self.timeline.after(2.0, self._upload)
                return
        self.state, self.error = "uploaded", ""
        self.timeline.after(LINGER, self._exit)

    def _exit(self) -> None:
        if self.state not in ("exited", "dead"):
            self.state = "exited"
            self.ended(self)


@dataclass
class Recorders:
    """A `ports.Runner` over every simulated recorder, by address."""

    by_address: dict[str, Recorder] = field(default_factory=dict)
    away: bool = False

    async def state(self, address: str, token: str) -> Body:
        return self._find(address, token).snapshot()

    async def release(
        self, address: str, token: str, start_at: float, uploads: Mapping[str, str]
    ) -> Body:
        recorder = self._find(address, token)
        recorder.release(start_at, uploads)
        return recorder.snapshot()

    def _find(self, address: str, token: str) -> Recorder:
        recorder = self.by_address.get(address)
        if self.away or recorder is None or recorder.state in ("exited", "dead"):
            raise Unavailable(f"the recorder at {address} cannot be reached")
        if token != recorder.token:
            raise Rejected(f"the recorder at {address} refused: wrong token")
        return recorder


def artefacts(plan: Plan, began: float) -> dict[str, bytes]:
    """What the recorder stores of a run that began at that time by the client's clock."""
    start, end = began + plan.warmup, began + plan.warmup + plan.duration
    log = sysbench_log(plan).encode()
    stamp = {"unix": began, "monotonic": 100.0}
    window = {"start": start, "end": end, "seconds": float(plan.duration)}
    summary = {
        "schema": "encbench.io/client-summary/v1",
        "tool": "sysbench",
        "exitCode": plan.exit_code,
        "began": stamp,
        "ended": {"unix": end, "monotonic": 100.0 + plan.warmup + plan.duration},
        "window": window if plan.exit_code == 0 else None,
        "cpuSeconds": 0.25 * plan.duration,
        "cpuLimitCores": 0.5,
        "memoryMaxBytes": 8 << 20,
        "memoryLimitBytes": 64 << 20,
        "throttledSeconds": 0.0,
        "clockSkewSeconds": 0.0,
        "output": {"bytes": len(log), "digest": digest_of(log)},
    }
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


def sysbench_log(plan: Plan) -> str:
    """The least that sysbench 1.0 writes in a complete run, or in one that a fatal error ended."""
    count = round(plan.tps * plan.duration)
    head = [
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)",
        f"Number of threads: {plan.threads}",
        *([f"Report checkpoint(s) at {plan.warmup} seconds"] if plan.warmup else []),
        "Threads started!",
    ]
    if plan.exit_code:
        return "\n".join([*head, "FATAL: the connection was lost", ""])
    if plan.warmup:
        warm = round(plan.tps * plan.warmup)
        head += [f"[ {plan.warmup}s ] Checkpoint report:", *_report(plan, warm, plan.warmup)]
    histogram = ["Latency histogram (values are in milliseconds)", f"  2.000 |**** {count}"]
    return "\n".join([*head, *histogram, *_report(plan, count, plan.warmup + plan.duration), ""])


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
