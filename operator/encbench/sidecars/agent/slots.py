"""The server's counters at the edges of every slot of an interleaved block.

All slots are read, not only those of the server's own arm: what a server does while its clients are
stopped (purge, flushing, checkpoints) is the other part of what its transactions cost.

A row is kept as the text that the answer has of it. Its objects would take four times the memory,
and an answer so large would cost half a second of CPU, of which the agent has a twentieth.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from encbench.sidecars.agent.process import Reading
from encbench.sidecars.routes import Response, said
from encbench.wire.slices import (
    SAME_START,
    LimitPeriods,
    SlotReading,
    SlotRow,
    SlotsAnswer,
    SlotsOrder,
    SlotsState,
)

Read = Callable[[], Reading | None]

KEPT, KEPT_SLOTS = 3, 20_000
"""Runs that are kept, and slots that they have together, at most. The operator may ask for a block
only after the next one's order, when a pod of clients starts fast or the object store was away.
That many slots with a proxy and a file system, each with its limit, take 20 MiB: an agent of 21 MiB
then has 41 of its 96, also while it answers."""
_END = "]}"
"""Of the JSON of an answer without rows."""


class _Missed(Exception):
    """A reading could not be made. The text says why."""


@dataclass
class _SlotRun:
    order: SlotsOrder
    state: SlotsState = "running"
    rows: list[bytes] = field(default_factory=list)
    """JSON; all but the first begin with the comma before them."""
    error: str | None = None
    replaced: threading.Event = field(default_factory=threading.Event)

    def describe(self) -> Response:
        """A `SlotsAnswer`."""
        answer = _answer(self.order["run"], self.state, self.order["startAt"], self.error)
        whole = said(answer)
        begin, end = whole.content[: -len(_END)], whole.content[-len(_END) :]
        return whole._replace(content=begin, rest=[*self.rows, end])

    def add(self, row: SlotRow) -> None:
        comma = "," if self.rows else ""
        self.rows.append(f"{comma}{json.dumps(row, separators=(',', ':'))}".encode())


def _answer(run: str, state: SlotsState, start: float | None, error: str | None) -> SlotsAnswer:
    """One without rows, which are its last field."""
    return SlotsAnswer(run=run, state=state, startAt=start, clock=time.time(), error=error, rows=[])


def _starts_elsewhere(known: SlotsOrder, order: SlotsOrder) -> bool:
    """A block that did not start may start later, and its readings with it."""
    return abs(order["startAt"] - known["startAt"]) > SAME_START


class SlotRuns:
    """Runs, one at a time; the last ones are kept."""

    def __init__(self, server: Read, proxy: Read | None = None, volume: Read | None = None) -> None:
        """Reads the server, and what has a limit of its own: the proxy, the file system below."""
        self._server, self._proxy, self._volume = server, proxy, volume
        self._runs: dict[str, _SlotRun] = {}
        self._lock = threading.Lock()

    def begin(self, order: SlotsOrder) -> Response:
        """A `SlotsAnswer`: the run of that order, begun if there is none. Does not wait."""
        with self._lock:
            run = self._runs.get(order["run"])
            if run is None or _starts_elsewhere(run.order, order):
                for earlier in self._runs.values():
                    earlier.replaced.set()
                run = self._keep(_SlotRun(order))
                threading.Thread(target=self._work, args=(run,), daemon=True).start()
            return run.describe()

    def _keep(self, run: _SlotRun) -> _SlotRun:
        """As the newest one."""
        name = run.order["run"]
        self._runs.pop(name, None)
        self._runs[name] = run
        while len(self._runs) > 1 and (len(self._runs) > KEPT or self._slots() > KEPT_SLOTS):
            del self._runs[next(iter(self._runs))]
        return run

    def _slots(self) -> int:
        return sum(run.order["slots"] for run in self._runs.values())

    def look(self, name: str) -> Response:
        """A `SlotsAnswer`: the run of that name; `unknown` where there is none."""
        with self._lock:
            run = self._runs.get(name)
        if run is None:
            return said(_answer(name, "unknown", None, None))
        return run.describe()

    def _work(self, run: _SlotRun) -> None:
        order = run.order
        zero = time.time() - time.monotonic()
        try:
            for slot in range(order["slots"]):
                begin = order["startAt"] + order["warmup"] + slot * order["period"] - zero
                run.add(
                    SlotRow(
                        slot=slot,
                        begin=self._reading(run, begin, zero),
                        counted=self._reading(run, begin + order["settle"], zero),
                        end=self._reading(run, begin + order["slice"], zero),
                    )
                )
            run.state = "done"
        except _Missed as error:
            run.error, run.state = str(error), "failed"
        except Exception as error:
            run.error, run.state = f"the readings ended with {error!r}", "failed"
            raise

    def _reading(self, run: _SlotRun, moment: float, zero: float) -> SlotReading:
        """One reading; `moment` is by the monotonic clock, whose zero is at `zero`."""
        if run.replaced.wait(max(0.0, moment - time.monotonic())):
            raise _Missed("another run has begun")
        server = self._server()
        at = zero + time.monotonic()
        if server is None:
            raise _Missed("no server is running")
        made = SlotReading(
            at=round(at, 6),
            cpuSeconds=round(server.cpu_seconds, 6),
            readBytes=server.read_bytes,
            writeBytes=server.write_bytes,
        )
        read = {"database": server}
        if self._proxy is not None:
            proxy = self._proxy()
            if proxy is None:
                raise _Missed("no proxy is running")
            made["proxyCpuSeconds"] = round(proxy.cpu_seconds, 6)
            read["proxy"] = proxy
        if self._volume is not None:
            volume = self._volume()
            if volume is None:
                raise _Missed("no file system is running")
            made["volumeCpuSeconds"] = round(volume.cpu_seconds, 6)
            read["volume"] = volume
        made["periods"] = {
            of: LimitPeriods(ran=one.periods.ran, throttled=one.periods.throttled)
            for of, one in read.items()
            if one.periods is not None
        }
        return made
