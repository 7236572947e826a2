"""What the slices of one trial of an interleaved block come to (docs/design/0011).

A trial has a row for each slot of its arm: what all replicas did in the slot's counted part, and
what the server used meanwhile. Times are Unix seconds by the operator's clock.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, Literal

from encbench.api.base import Model
from encbench.core.artefact import RecordError
from encbench.wire.foreign import most_values, parsed
from encbench.wire.shape import misfit
from encbench.wire.slices import (
    SLICES_SCHEMA,
    OwnSlots,
    SliceRow,
    SlicesFile,
    SlotReading,
    SlotRow,
    SlotsAnswer,
    SlotTimes,
)

APART = 0.1
"""Share by which the server's counted part may differ in length from the clients'."""
LATE = 0.2
"""Seconds by which an edge may be late, however short `settle` is. A client that its CPU limit
holds back wakes up in the next period of 100 ms, and may need one more until it has stopped."""
ENOUGH = 0.9
"""Share of a trial's slices whose server must have been read for a figure of it."""

MOST_BUCKETS = 2044
"""Buckets of a client's histogram of latencies, as `images/turnstile/src/counters.rs` has them."""
_ROW_VALUES, _BUCKET_VALUES = 9, 4
"""Values of JSON: the object or list, and what it holds."""
_ROOM = 2
"""A file may have so many times the values that are known, of fields that a later version adds."""


class SliceFacts(Model):
    """One slot of the trial's own arm. CPU and bytes are of its counted part."""

    slot: int
    round: int
    """From 0."""
    begin: float
    counted: float
    end: float
    seconds: float
    """Length of the counted part, the mean over replicas."""
    transactions: int
    """Those that ended in the counted part, over all replicas."""
    new_orders: int
    """TPC-C's New-Orders among them; 0 for another tool."""
    all_transactions: int
    """Those that ended in the whole slot."""
    client_cpu_seconds: float
    database_cpu_seconds: float | None = None
    proxy_cpu_seconds: float | None = None
    volume_cpu_seconds: float | None = None
    """Part of `database_cpu_seconds`."""
    read_bytes: float | None = None
    write_bytes: float | None = None
    periods: dict[str, tuple[int, int]] | None = None
    """Periods of the CPU limit of `database`, `proxy` and `volume` in which it ran, and those of
    them in which the limit held it up; absent where they were not read."""


class ServerSlot(Model):
    """The trial's server until the next slot begins, whichever arm had this one.

    Slots thus leave out no moment of the block.
    """

    slot: int
    seconds: float
    cpu_seconds: float
    proxy_cpu_seconds: float | None = None
    read_bytes: float | None = None
    write_bytes: float | None = None


class Slices(Model):
    """All of a trial's slices."""

    rows: tuple[SliceFacts, ...]
    spanned: int = 0
    """Transactions that are in no latency, because they began before a stop: the one after the
    warm-up, or that of a slice."""
    latency: tuple[tuple[float, float, int], ...] = ()
    """Buckets over all replicas: lower end and upper end in ms, transactions."""
    block: dict[str, float] | None = None
    """No longer written: `server` has it by slot."""
    server: tuple[ServerSlot, ...] = ()
    """Of every slot of the block, in order; empty without an agent's readings of all of them."""

    @property
    def seconds(self) -> float:
        """Counted time."""
        return sum(row.seconds for row in self.rows)

    @property
    def running_seconds(self) -> float:
        """How long the clients ran: their slots, counted or not."""
        return sum(row.end - row.begin for row in self.rows)

    def each_second(self, amounts: Iterable[float | None]) -> float | None:
        """A rate, of what each slice had; None if too few of the slices were read."""
        known = [
            (amount, row.seconds)
            for amount, row in zip(amounts, self.rows, strict=True)
            if amount is not None
        ]
        if len(known) < ENOUGH * len(self.rows):
            return None
        return sum(amount for amount, _ in known) / sum(seconds for _, seconds in known)

    def throttled(self, of: str) -> float | None:
        """The share of its limit's periods in which that was held up; None as for a rate."""
        known = [row.periods[of] for row in self.rows if row.periods and of in row.periods]
        ran, held_up = (sum(one[part] for one in known) for part in (0, 1))
        return held_up / ran if ran > 0 and len(known) >= ENOUGH * len(self.rows) else None

    @property
    def client_cpu_seconds(self) -> float:
        """CPU of all replicas in the counted time."""
        return sum(row.client_cpu_seconds for row in self.rows)

    @property
    def transactions(self) -> int:
        """Counted transactions."""
        return sum(row.transactions for row in self.rows)

    @property
    def new_orders(self) -> int:
        """New-Orders among them."""
        return sum(row.new_orders for row in self.rows)


class SlicesError(Exception):
    """The files do not describe the trial's slots. The text says why."""


def read_file(content: bytes, key: str, slots: int) -> SlicesFile:
    """A client's file as stored, with the fields that are known; RecordError for anything else.

    `slots` is how many the client has. What it wrote beyond them, or beyond the tool's histogram,
    would only fill memory: a file grows twentyfold when it is parsed.
    """
    most = _ROOM * (slots * _ROW_VALUES + MOST_BUCKETS * _BUCKET_VALUES)
    if most_values(content) > most:
        raise RecordError(f"{key} has more than {most:,} values")
    try:
        found = parsed(content)
    except ValueError as error:
        raise RecordError(f"{key} is not JSON") from error
    if not isinstance(found, dict) or found.get("schema") != SLICES_SCHEMA:
        raise RecordError(f"{key} is not a file of slices")
    if (wrong := misfit(SlicesFile, found)) is not None:
        raise RecordError(f"{key} is not a file of slices: {wrong}")
    rows, latency = found["slices"], found.get("latency", [])
    if len(rows) > slots:
        raise RecordError(f"{key} has {len(rows):,} slots, and the client had {slots:,}")
    if len(latency) > MOST_BUCKETS:
        raise RecordError(f"{key} has {len(latency):,} buckets, more than {MOST_BUCKETS:,}")
    return SlicesFile(
        schema=SLICES_SCHEMA,
        slices=[_known(row) for row in rows],
        spanned=found.get("spanned", 0),
        latency=[(low, high, count) for low, high, count in latency],
    )


def _known(row: SliceRow) -> SliceRow:
    return SliceRow(
        slice=row["slice"],
        begin=row["begin"],
        counted=row["counted"],
        end=row["end"],
        transactions=row["transactions"],
        newOrders=row["newOrders"],
        allTransactions=row["allTransactions"],
        cpuSeconds=row["cpuSeconds"],
    )


def unkept(
    files: Sequence[SlicesFile], skews: Sequence[float], planned: OwnSlots, start: float
) -> str | None:
    """The first slot that a client did not keep, in a sentence; None if there is none.

    `start` is the block's by the operator's clock. A client got it with the same skew that its
    stamps are corrected by, so that what differs is no error of that. Edges within `settle` of the
    plan leave the counted parts of all arms alone.
    """
    for client, (file, skew) in enumerate(zip(files, skews, strict=True)):
        rows = {row["slice"]: row for row in file["slices"]}
        if others := rows.keys() - {*planned["own"]}:
            return f"client {client} ran in slot {min(others)}, which is another trial's"
        for slot in planned["own"]:
            begin = planned["warmup"] + slot * planned["period"]
            seen = _unlike(rows.get(slot), begin, start + skew, planned)
            if seen is not None:
                end = begin + planned["slice"]
                return (
                    f"client {client} was to run from {begin:.2f} to {end:.2f} s after the start "
                    f"(slot {slot}), but {seen}"
                )
    return None


def _unlike(row: SliceRow | None, begin: float, start: float, planned: OwnSlots) -> str | None:
    """What a client did in the slot that was to begin so many seconds after its start."""
    if row is None:
        return "its tool had ended by then"
    late = max(planned["settle"], LATE)
    length, counted = planned["slice"] - planned["settle"], row["end"] - row["counted"]
    began, ended = row["begin"] - start, row["end"] - start
    ease = "give client.resources.cpu more, or its node less to do"
    if abs(began - begin) > late or abs(ended - begin - planned["slice"]) > late:
        return f"ran from {began:.2f} to {ended:.2f} s: {ease}"
    if abs(counted - length) > max(APART * length, LATE):
        return f"counted {counted:.2f} of {length:.2f} s: {ease}"
    return None


def of_clients(files: Sequence[SlicesFile], skews: Sequence[float], slots_a_round: int) -> Slices:
    """The slices of all replicas together; `skews` are their clocks minus the operator's.

    SlicesError if a replica lacks a slot that another has kept, has no counters, or has figures
    that no run can have.
    """
    by_slot = [{row["slice"]: row for row in file["slices"]} for file in files]
    slots = sorted(set().union(*by_slot))
    missing = [slot for slot in slots if not all(slot in one for one in by_slot)]
    if missing or not slots:
        raise SlicesError(f"a client has not kept slot {missing[0] if missing else 0}")
    rows = [
        _together(
            [_unskewed(one[slot], skew) for one, skew in zip(by_slot, skews, strict=True)],
            slot,
            slot // slots_a_round,
        )
        for slot in slots
    ]
    if sum(row.seconds for row in rows) <= 0:
        raise SlicesError("a client's slots have no length")
    latency: dict[tuple[float, float], int] = {}
    for low, high, count in chain.from_iterable(file.get("latency", []) for file in files):
        if not 0 <= low <= high or count < 0:
            raise SlicesError("a client's latencies are none that a run can have")
        latency[low, high] = latency.get((low, high), 0) + count
    return Slices(
        rows=tuple(rows),
        spanned=sum(file.get("spanned", 0) for file in files),
        latency=tuple((low, high, count) for (low, high), count in sorted(latency.items())),
    )


def _unskewed(row: SliceRow, skew: float) -> SliceRow:
    return {
        **row,
        "begin": row["begin"] - skew,
        "counted": row["counted"] - skew,
        "end": row["end"] - skew,
    }


def _together(parts: Sequence[SliceRow], slot: int, number: int) -> SliceFacts:
    if not all(part["begin"] <= part["counted"] <= part["end"] for part in parts):
        raise SlicesError(f"a client's clock was set back in slot {slot}")
    return SliceFacts(
        slot=slot,
        round=number,
        begin=min(part["begin"] for part in parts),
        counted=max(part["counted"] for part in parts),
        end=max(part["end"] for part in parts),
        seconds=sum(part["end"] - part["counted"] for part in parts) / len(parts),
        transactions=_sum(slot, [part["transactions"] for part in parts]),
        new_orders=_sum(slot, [part["newOrders"] for part in parts]),
        all_transactions=_sum(slot, [part["allTransactions"] for part in parts]),
        client_cpu_seconds=sum(part["cpuSeconds"] for part in parts),
    )


def _sum(slot: int, values: Sequence[int | None]) -> int:
    known = [value for value in values if value is not None]
    if any(value < 0 for value in known):
        raise SlicesError(f"a client has counted fewer than no transactions in slot {slot}")
    if len(known) < len(values):
        raise SlicesError(
            f"a client has not counted its transactions in slot {slot}: if it had not begun by "
            "then, make load.warmup longer"
        )
    return sum(known)


def with_server(slices: Slices, answer: SlotsAnswer, planned: SlotTimes, start: float) -> Slices:
    """The same with what the agent read of the server at the edges of every slot.

    `start` is the block's by the operator's clock, which the answer has by the agent's. A slot
    whose counted part is not as long by the agent's readings as by its clients keeps None, and so
    does one whose last reading is that late.
    """
    found = {row["slot"]: row for row in answer["rows"]}
    own = {row.slot for row in slices.rows}
    own_start = answer["startAt"] or 0.0

    def with_use(clients: SliceFacts) -> SliceFacts:
        read = found.get(clients.slot)
        if read is None:
            return clients
        end = planned["warmup"] + clients.slot * planned["period"] + planned["slice"]
        stopped = max(0.0, clients.end - start - end)
        late = max(0.0, read["end"]["at"] - own_start - end - stopped)
        if late > APART * clients.seconds:
            return clients
        idle = late
        if clients.slot + 1 in {*own, planned["slots"]}:  # After the last slot every arm goes on.
            idle = min(late, max(0.0, planned["period"] - planned["slice"] - stopped))
        return clients.model_copy(update=_use(read, clients.seconds, idle))

    rows = tuple(map(with_use, slices.rows))
    complete = answer["state"] == "done" and bool(found)
    server = tuple(_server(answer["rows"])) if complete else ()
    return slices.model_copy(update={"rows": rows, "server": server})


def _use(row: SlotRow, seconds: float, idle: float) -> dict[str, Any]:
    """What the server used in the clients' counted part, which has so many seconds.

    A late reading at its begin lacks a part of the load, for which the length makes up. One at its
    end has all of it already: the server did nothing in the `idle` seconds from the clients' stop
    until it was read, or until they went on.
    """
    first, last = row["counted"], row["end"]
    length = last["at"] - first["at"] - idle
    if length <= 0 or abs(length - seconds) > APART * seconds:
        return {}
    scale = seconds / length
    return {
        "database_cpu_seconds": (last["cpuSeconds"] - first["cpuSeconds"]) * scale,
        "proxy_cpu_seconds": _scaled(_beside(first, last, "proxyCpuSeconds"), scale),
        "volume_cpu_seconds": _scaled(_beside(first, last, "volumeCpuSeconds"), scale),
        "read_bytes": _scaled(_bytes(first["readBytes"], last["readBytes"]), scale),
        "write_bytes": _scaled(_bytes(first["writeBytes"], last["writeBytes"]), scale),
        "periods": _periods(first, last),
    }


def _server(rows: Sequence[SlotRow]) -> Iterator[ServerSlot]:
    edges = [row["begin"] for row in rows] + [rows[-1]["end"]]
    for row, (first, last) in zip(rows, pairwise(edges), strict=True):
        yield ServerSlot(
            slot=row["slot"],
            seconds=last["at"] - first["at"],
            cpu_seconds=last["cpuSeconds"] - first["cpuSeconds"],
            proxy_cpu_seconds=_beside(first, last, "proxyCpuSeconds"),
            read_bytes=_bytes(first["readBytes"], last["readBytes"]),
            write_bytes=_bytes(first["writeBytes"], last["writeBytes"]),
        )


def _beside(
    first: SlotReading, last: SlotReading, name: Literal["proxyCpuSeconds", "volumeCpuSeconds"]
) -> float | None:
    before, after = first.get(name), last.get(name)
    return None if before is None or after is None else after - before


def _periods(first: SlotReading, last: SlotReading) -> dict[str, tuple[int, int]] | None:
    before, after = first.get("periods", {}), last.get("periods", {})
    return {
        of: (after[of]["ran"] - before[of]["ran"], after[of]["throttled"] - before[of]["throttled"])
        for of in before
        if of in after
    } or None


def _bytes(before: int | None, after: int | None) -> float | None:
    return None if before is None or after is None else float(after - before)


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
