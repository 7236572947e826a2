"""A trial's slices: replicas together, and beside them what the server used."""

import json
from pathlib import Path

import pytest

from encbench.core.artefact import RecordError
from encbench.core.slices import (
    MOST_BUCKETS,
    Slices,
    SlicesError,
    of_clients,
    read_file,
    unkept,
    with_server,
)
from encbench.wire.slices import (
    LimitPeriods,
    OwnSlots,
    SliceRow,
    SlicesFile,
    SlotReading,
    SlotRow,
    SlotsAnswer,
)

START = 1_700_000_000.0


def row(slot: int, transactions: int | None = 100, late: float = 0.0) -> SliceRow:
    begin = START + 3.05 * slot + late
    return SliceRow(
        slice=slot,
        begin=begin,
        counted=begin + 0.5,
        end=begin + 3.0,
        transactions=transactions,
        newOrders=None if transactions is None else transactions * 45 // 100,
        allTransactions=None if transactions is None else transactions + 20,
        cpuSeconds=0.5,
    )


def file(*rows: SliceRow, **more: object) -> SlicesFile:
    return {"schema": "encbench.io/slices/v1", "slices": list(rows), **more}  # type: ignore[typeddict-item]


def test_a_file_is_read_without_what_is_not_known() -> None:
    known = file(row(1), row(3), spanned=2, latency=[(1.0, 1.1, 90)])
    rows = [{**one, "later": [1, 2]} for one in known["slices"]]
    content = json.dumps({**known, "slices": rows, "later": "x" * 1000}).encode()
    assert read_file(content, "slices.json", 2) == known


BUCKET = (1.0, 1.1, 1)


@pytest.mark.parametrize(
    ("large", "why"),
    [
        (file(row(1), row(3), row(5)), "has 3 slots, and the client had 2"),
        (file(row(1), latency=[BUCKET] * 2045), "has 2,045 buckets, more than 2,044"),
        (file(row(1), later=[0] * 20_000), "has more than 16,388 values"),
    ],
    ids=["slots", "buckets", "values"],
)
def test_a_file_has_no_more_than_its_client_had(large: SlicesFile, why: str) -> None:
    """An image could fill the operator's memory with it."""
    with pytest.raises(RecordError, match=f"slices.json {why}"):
        read_file(json.dumps(large).encode(), "slices.json", 2)


def test_the_longest_file_is_read() -> None:
    longest = file(*[row(slot) for slot in range(1000)], latency=[BUCKET] * MOST_BUCKETS, spanned=0)
    assert read_file(json.dumps(longest).encode(), "slices.json", 1000) == longest
    counters = Path(__file__).parents[3] / "images/turnstile/src/counters.rs"
    assert f"BUCKETS: usize = {MOST_BUCKETS};" in counters.read_text()


def reading(at: float, cpu: float, written: int | None) -> SlotReading:
    return SlotReading(at=at, cpuSeconds=cpu, readBytes=0, writeBytes=written)


def answer(
    *shares: float,
    state: str = "done",
    late: float = 0.0,
    late_end: float = 0.0,
    stopped: float = 0.0,
    clock: float = 0.0,
) -> SlotsAnswer:
    """The server uses such a share of a core in each slot, and nothing between two of them.

    The reading at `counted` is late by so many seconds and that at the end by `late_end`; clients
    stop `stopped` seconds late. The agent's clock is before the operator's by `clock`.
    """
    rows, cpu = [], 10.0
    for slot, share in enumerate(shares):
        begin = START + 3.05 * slot
        done = cpu + (3.0 + min(stopped, late_end)) * share
        edges = [
            reading(begin, cpu, int(1000 * cpu)),
            reading(begin + 0.5 + late, cpu + (0.5 + late) * share, int(1000 * cpu)),
            reading(begin + 3.0 + late_end, done, int(1000 * done)),
        ]
        for edge in edges:
            edge["at"] += clock
        rows.append(SlotRow(slot=slot, begin=edges[0], counted=edges[1], end=edges[2]))
        cpu += (3.0 + stopped) * share
    return SlotsAnswer(
        run="r",
        state=state,  # type: ignore[typeddict-item]
        startAt=START + clock,
        rows=rows,
        clock=START + 3.05 * len(shares),
        error=None,
    )


def test_replicas_add_up_slot_by_slot() -> None:
    files = [
        file(row(1), row(3), spanned=2, latency=[(1.0, 1.1, 90), (1.1, 1.2, 110)]),
        file(row(1, late=0.01), row(3, 50, late=0.01), spanned=1, latency=[(1.0, 1.1, 10)]),
    ]
    found = of_clients(files, [0.0, 0.01], 2)
    assert [(one.slot, one.round, one.transactions) for one in found.rows] == [
        (1, 0, 200),
        (3, 1, 150),
    ]
    assert found.rows[0].seconds == pytest.approx(2.5)
    assert found.rows[0].all_transactions == 240
    assert [one.new_orders for one in found.rows] == [90, 67]
    assert found.new_orders == 157
    assert found.rows[0].client_cpu_seconds == 1.0
    assert found.client_cpu_seconds == 2.0
    assert found.rows[0].begin == pytest.approx(START + 3.05)
    assert (found.spanned, found.latency) == (3, ((1.0, 1.1, 100), (1.1, 1.2, 110)))
    assert found.transactions == 350
    assert found.seconds == pytest.approx(5.0)


def test_a_slot_is_counted_once_its_last_replica_counts() -> None:
    """The window of a trial begins there."""
    (found,) = of_clients([file(row(0)), file(row(0, late=0.1))], [0.0, 0.0], 1).rows
    edges = (found.begin - START, found.counted - START, found.end - START)
    assert edges == pytest.approx((0.0, 0.6, 3.1))


def test_a_slot_that_a_replica_lacks_is_an_error() -> None:
    with pytest.raises(SlicesError, match="has not kept slot 3"):
        of_clients([file(row(1), row(3)), file(row(1))], [0.0, 0.0], 2)
    with pytest.raises(SlicesError, match="has not kept slot 0"):
        of_clients([file()], [0.0], 2)


def test_a_replica_that_has_not_counted_is_an_error() -> None:
    with pytest.raises(SlicesError, match="has not counted its transactions in slot 1: "):
        of_clients([file(row(1, None))], [0.0], 2)
    with pytest.raises(SlicesError, match="has not counted its transactions in slot 3: "):
        of_clients([file(row(1), row(3)), file(row(1), row(3, None))], [0.0, 0.0], 2)


def moved(slot: int, begin: float = 0.0, counted: float = 0.0, end: float = 0.0) -> SliceRow:
    """A slot's row with edges that are so many seconds late."""
    kept = row(slot)
    kept["begin"] += begin
    kept["counted"] += counted
    kept["end"] += end
    return kept


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (file(row(1), latency=[(-1.0, 1.1, 9)]), "latencies are none that a run can have"),
        (file(row(1), latency=[(1.1, 1.0, 9)]), "latencies are none that a run can have"),
        (file(row(1), latency=[(1.0, 1.1, -9)]), "latencies are none that a run can have"),
        (file(row(1, -100)), "has counted fewer than no transactions in slot 1"),
        (file(moved(1, begin=0.6)), "clock was set back in slot 1"),
        (file(moved(1, counted=2.6)), "clock was set back in slot 1"),
        (file(moved(1, counted=2.5)), "slots have no length"),
    ],
    ids=["below-0", "ends-crossed", "count", "transactions", "begin", "end", "no-length"],
)
def test_figures_that_no_run_can_have_are_an_error(wrong: SlicesFile, why: str) -> None:
    with pytest.raises(SlicesError, match=why):
        of_clients([wrong], [0.0], 2)


PLANNED = OwnSlots(warmup=0.0, period=3.05, slice=3.0, settle=0.5, slots=4, own=[1, 3])


@pytest.mark.parametrize(
    "one",
    [
        moved(3),
        moved(3, begin=0.1, counted=0.1),
        moved(3, end=0.1),
        moved(3, counted=0.24),
        moved(3, begin=0.49),
        moved(3, 0.49, 0.49, 0.49),
    ],
    ids=["punctual", "late-wake", "late-stop", "late-count", "late-begin", "late"],
)
def test_slots_that_are_kept_nearly_are_kept(one: SliceRow) -> None:
    assert unkept([file(row(1), one)], [0.0], PLANNED, START) is None


@pytest.mark.parametrize(
    ("one", "seen"),
    [
        (moved(3, 3.0, 2.5, 0.002), "but ran from 12.15 to 12.15 s: give client.resources.cpu"),
        (moved(3, 0.51, 0.51, 0.51), "but ran from 9.66 to 12.66 s: give"),
        (moved(3, end=0.51), "but ran from 9.15 to 12.66 s: give"),
        (moved(3, counted=0.26), "but counted 2.24 of 2.50 s: give"),
        (moved(3, end=0.26), "but counted 2.76 of 2.50 s: give"),
        (moved(3, begin=-0.51), "but ran from 8.64 to 12.15 s: give"),
        (moved(3, counted=-0.51, end=-0.51), "but ran from 9.15 to 11.64 s: give"),
        (moved(1), "but its tool had ended by then"),
    ],
    ids=["missed", "late", "late-stop", "short", "long", "early", "early-stop", "ended"],
)
def test_a_slot_that_was_not_kept_is_named(one: SliceRow, seen: str) -> None:
    kept = file(row(1, late=0.5), row(3, late=0.5))
    found = unkept([kept, file(row(1), one)], [0.5, 0.0], PLANNED, START)
    place = "client 1 was to run from 9.15 to 12.15 s after the start (slot 3), "
    assert found is not None
    assert found.startswith(f"{place}{seen}")


def test_a_slot_of_another_trial_s_is_not_kept() -> None:
    found = unkept([file(row(1), row(2), row(3))], [0.0], PLANNED, START)
    assert found == "client 0 ran in slot 2, which is another trial's"


def test_short_slots_may_be_late_by_two_periods_of_a_cpu_limit() -> None:
    short = OwnSlots(warmup=0.0, period=1.06, slice=1.01, settle=0.01, slots=1, own=[0])
    late, later = moved(0, counted=-0.48, end=-1.81), moved(0, counted=-0.48, end=-1.78)
    assert unkept([file(late)], [0.0], short, START) is None
    assert unkept([file(later)], [0.0], short, START) is not None


def slices() -> Slices:
    return of_clients([file(row(1), row(3))], [0.0], 2)


def test_the_server_s_cpu_is_that_of_the_counted_part() -> None:
    found = with_server(slices(), answer(0.1, 0.8, 0.2, 0.6), PLANNED, START)
    assert [one.database_cpu_seconds for one in found.rows] == pytest.approx([2.0, 1.5])
    assert found.rows[0].write_bytes == pytest.approx(2400, abs=1)


def test_the_server_is_known_in_every_slot_of_the_block() -> None:
    found = with_server(slices(), answer(0.1, 0.8, 0.2, 0.6), PLANNED, START)
    assert [one.slot for one in found.server] == [0, 1, 2, 3]
    assert [one.cpu_seconds for one in found.server] == pytest.approx([0.3, 2.4, 0.6, 1.8])
    assert [one.seconds for one in found.server] == pytest.approx([3.05, 3.05, 3.05, 3.0])
    assert found.server[1].write_bytes == pytest.approx(2400, abs=1)
    assert found.server[1].proxy_cpu_seconds is None


def test_what_runs_beside_the_server_has_figures_of_its_own() -> None:
    """The proxy has a tenth of a core all the time, and the file system a fifth."""
    said = answer(0.1, 0.8, 0.2, 0.6, late=0.2)
    for edges in said["rows"]:
        for edge in (edges["begin"], edges["counted"], edges["end"]):
            since = edge["at"] - START
            edge["proxyCpuSeconds"], edge["volumeCpuSeconds"] = 0.1 * since, 0.2 * since
            edge["readBytes"], edge["writeBytes"] = round(1e6 * since), round(3e6 * since)
    found = with_server(slices(), said, PLANNED, START)
    for own in found.rows:
        assert own.proxy_cpu_seconds == pytest.approx(0.25)
        assert own.volume_cpu_seconds == pytest.approx(0.5)
        assert (own.read_bytes, own.write_bytes) == pytest.approx((2.5e6, 7.5e6))
    for slot in found.server[:3]:
        assert slot.proxy_cpu_seconds == pytest.approx(0.305)
        assert (slot.read_bytes, slot.write_bytes) == pytest.approx((3.05e6, 9.15e6))


def test_readings_of_another_length_are_not_used() -> None:
    found = with_server(slices(), answer(0.1, 0.8, 0.2, 0.6, late=0.4), PLANNED, START)
    assert [one.database_cpu_seconds for one in found.rows] == [None, None]


@pytest.mark.parametrize("clock", [0.0, -7.0, 7.0])
@pytest.mark.parametrize(
    ("late", "late_end", "stopped"),
    [
        *((0.0, 0.2, 0.0), (0.2, 0.0, 0.0), (0.2, 0.2, 0.0)),
        *((0.0, 0.0, 0.15), (0.0, 0.1, 0.15), (0.2, 0.2, 0.15), (0.0, 0.004, 0.002)),
    ],
)
def test_a_late_reading_changes_no_figure(
    late: float, late_end: float, stopped: float, clock: float
) -> None:
    """After the stop the server idles, so that a late reading at the end has no more than it."""
    said = answer(0.1, 0.8, 0.2, late=late, late_end=late_end, stopped=stopped, clock=clock)
    clients = of_clients([file(moved(1, end=stopped))], [0.0], 2)
    (found,) = with_server(clients, said, PLANNED, START).rows
    assert found.database_cpu_seconds == pytest.approx(0.8 * (2.5 + stopped))


def test_clients_that_seem_to_stop_early_change_no_figure() -> None:
    """How far two clocks are apart is known to a part of a round trip."""
    early = of_clients([file(row(1, late=-0.05))], [0.0], 2)
    (found,) = with_server(early, answer(0.1, 0.8, 0.2), PLANNED, START).rows
    assert found.database_cpu_seconds == pytest.approx(0.8 * 2.5)


@pytest.mark.parametrize("stopped", [0.03, 0.05, 0.15])
def test_clients_that_stop_late_stand_still_for_the_rest_of_the_guard(stopped: float) -> None:
    said = answer(0.8, 0.8, 0.8)
    end = said["rows"][1]["end"]
    end["at"] += 0.2
    end["cpuSeconds"] += 0.8 * min(stopped + 0.15, 0.2)
    clients = of_clients([file(moved(1, end=stopped), row(2))], [0.0], 2)
    found = with_server(clients, said, PLANNED, START).rows[0]
    assert found.database_cpu_seconds == pytest.approx(0.8 * (2.5 + stopped))


@pytest.mark.parametrize("warmup", [0.0, 2.0])
@pytest.mark.parametrize("own", [(1, 2), (0, 3)], ids=["an own slot follows", "the last slot"])
def test_a_late_reading_has_the_load_of_the_clients_that_went_on(
    own: tuple[int, int], warmup: float
) -> None:
    """They stand still for the guard of 0.05 s alone. Slots begin after the warm-up."""
    slot = {1: 1, 0: 3}[own[0]]
    said = answer(0.8, 0.8, 0.8, 0.8)
    said["startAt"] = START - warmup
    end = said["rows"][slot]["end"]
    end["at"] += 0.2
    end["cpuSeconds"] += 0.8 * 0.15
    clients = of_clients([file(*map(row, own))], [0.0], 2)
    planned = OwnSlots(**{**PLANNED, "warmup": warmup})
    found = {one.slot: one for one in with_server(clients, said, planned, START - warmup).rows}
    assert found[slot].database_cpu_seconds == pytest.approx(0.8 * 2.5)


def test_a_last_reading_that_is_too_late_is_not_used() -> None:
    said = answer(0.1, 0.8, 0.2, 0.6, late=0.2, late_end=0.3)
    found = with_server(slices(), said, PLANNED, START)
    assert [one.database_cpu_seconds for one in found.rows] == [None, None]


def test_a_rate_is_of_the_slices_that_were_read() -> None:
    """Of ten slices of 2.5 s one lacks its reading."""
    found = of_clients([file(*(row(slot) for slot in range(10)))], [0.0], 1)
    assert found.each_second([5.0] * 9 + [None]) == pytest.approx(2.0)


def test_a_run_of_readings_that_broke_off_says_nothing_of_the_block() -> None:
    found = with_server(slices(), answer(0.1, 0.8, state="failed"), PLANNED, START)
    assert [one.database_cpu_seconds is None for one in found.rows] == [False, True]
    assert found.server == ()


def test_what_a_limit_held_up_is_known_by_slot() -> None:
    said = answer(0.5, 0.5, 0.5)
    for row_, ran, throttled in zip(said["rows"], (25, 24, 26), (0, 6, 24), strict=True):
        row_["counted"]["periods"] = {"database": {"ran": 100, "throttled": 7}}
        after: LimitPeriods = {"ran": 100 + ran, "throttled": 7 + throttled}
        row_["end"]["periods"] = {"database": after, "proxy": after}
    clients = of_clients([file(row(0), row(2))], [0.0], 2)
    assert with_server(clients, answer(0.5, 0.5, 0.5), PLANNED, START).throttled("database") is None
    found = with_server(clients, said, PLANNED, START)
    assert found.rows[1].periods == {"database": (26, 24)}
    assert found.throttled("database") == pytest.approx(24 / 51)
    assert found.throttled("proxy") is None
    del said["rows"][0]["end"]["periods"]
    assert with_server(clients, said, PLANNED, START).throttled("database") is None, (
        "of half of them"
    )


def test_a_limit_in_whose_periods_nothing_ran_says_nothing() -> None:
    said = answer(0.5, 0.5, 0.5)
    for row_ in said["rows"]:
        for edge in (row_["counted"], row_["end"]):
            edge["periods"] = {"proxy": {"ran": 100, "throttled": 7}}
    clients = of_clients([file(row(0), row(2))], [0.0], 2)
    assert with_server(clients, said, PLANNED, START).throttled("proxy") is None
