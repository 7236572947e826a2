"""What every `ports.Metrics` does, the fake and the real adapter alike."""

import pytest

from encbench.ports import BadQuery, Metrics, Rejected, Series, Unavailable
from tests.contract.metrics.samples import SERIES, T0

CPU = "encbench_test_cpu_seconds_total"
DB0 = f'{CPU}{{pod="db-0"}}'


async def test_samples_have_their_own_timestamps(metrics: Metrics) -> None:
    name, labels, samples = SERIES[0]

    found = await metrics.raw(DB0, T0, T0 + 60)

    assert found == [Series({"__name__": name, **labels}, samples)]


@pytest.mark.parametrize(
    ("start", "end", "times"),
    [
        (T0 + 3.25, T0 + 6.25, [3.25, 4.25, 5.25, 6.25]),
        (T0 + 3.251, T0 + 6.249, [4.25, 5.25]),
        (T0 + 3.2504, T0 + 5.2496, [4.25]),
        (T0 + 3.25, T0 + 3.25, [3.25]),
        (T0 + 29.25, T0 + 1000, [29.25]),
    ],
)
async def test_the_range_is_exact_at_both_ends(
    metrics: Metrics, start: float, end: float, times: list[float]
) -> None:
    (series,) = await metrics.raw(DB0, start, end)

    assert [time - T0 for time, _ in series.samples] == times


async def test_a_series_of_a_long_range_is_whole(metrics: Metrics) -> None:
    """The real adapter asks for it in pieces, some of which have none of the samples."""
    found = await metrics.raw(DB0, T0 - 4000, T0 + 4000)

    assert found == await metrics.raw(DB0, T0, T0 + 60)


async def test_a_window_is_read_by_one_clock_as_by_each_time_anew(metrics: Metrics) -> None:
    timed = await metrics.timed()

    assert await timed.raw(DB0, T0, T0 + 60) == await metrics.raw(DB0, T0, T0 + 60)


async def test_a_range_without_samples_has_no_series(metrics: Metrics) -> None:
    assert await metrics.raw(DB0, T0 + 3.3, T0 + 4.2) == []
    assert await metrics.raw(DB0, T0 - 100, T0) == []


async def test_all_series_that_match_in_the_order_of_their_labels(metrics: Metrics) -> None:
    found = await metrics.raw(f'{CPU}{{component="database"}}', T0, T0 + 60)

    assert [series.labels["pod"] for series in found] == ["db-0", "db-1"]
    assert [len(series.samples) for series in found] == [30, 10]


@pytest.mark.parametrize(
    ("selector", "pods"),
    [
        (CPU, ["db-0", "db-1"]),
        (f'{{__name__="{CPU}",pod!="db-0"}}', ["db-1"]),
        (f'{CPU}{{pod=~"db-.*"}}', ["db-0", "db-1"]),
        (f'{CPU}{{pod=~"db"}}', []),
        (f'{CPU}{{pod!~".*0"}}', ["db-1"]),
        (f'{CPU}{{pod="db-0",missing=""}}', ["db-0"]),
        (f'{CPU}{{missing=~"|n0\\\\.zone\\\\-a",pod!="db-1"}}', ["db-0"]),
        (f'{CPU}{{pod=~"|db\\\\-0|d.\\\\-1"}}', ["db-0", "db-1"]),
        (f'{CPU}{{pod=~"|d\\\\.\\\\-1"}}', []),
        (f'{CPU}{{pod=~""}}', []),
        ("encbench_test_unheard_of", []),
    ],
)
async def test_selectors(metrics: Metrics, selector: str, pods: list[str]) -> None:
    found = await metrics.raw(selector, T0, T0 + 60)

    assert [series.labels["pod"] for series in found] == pods


async def test_label_values_may_hold_quotes(metrics: Metrics) -> None:
    selector = r'encbench_test_far_away{pod="a \"quoted\" \\ name"}'

    (series,) = await metrics.raw(selector, T0 + 5000, T0 + 5001)

    assert series.labels["pod"] == 'a "quoted" \\ name'
    assert series.samples == ((T0 + 5000.125, 1.0),)


async def test_what_is_no_finite_number_is_left_out(metrics: Metrics) -> None:
    (series,) = await metrics.raw("encbench_test_resident_bytes", T0, T0 + 60)

    assert series.samples == ((T0 + 1, 4.0), (T0 + 4, 1e12))
    assert await metrics.raw("encbench_test_nothing_but_nan", T0, T0 + 60) == []


@pytest.mark.parametrize("selector", ["", "{}", "{pod=db-0}", f"{CPU}{{pod=", "a b", "sum(up)"])
async def test_what_is_no_selector_is_rejected(metrics: Metrics, selector: str) -> None:
    with pytest.raises(BadQuery):
        await metrics.raw(selector, T0, T0 + 60)


async def test_a_range_that_ends_before_it_begins_is_rejected(metrics: Metrics) -> None:
    with pytest.raises(Rejected, match="ends before it begins"):
        await metrics.raw(CPU, T0 + 1, T0)


async def test_one_that_does_not_answer_is_unavailable(silent: Metrics) -> None:
    with pytest.raises(Unavailable):
        await silent.raw(CPU, T0, T0 + 60)
    with pytest.raises(Unavailable):
        await silent.timed()
    with pytest.raises(Unavailable):
        await silent.check()


async def test_one_that_answers_is_there(metrics: Metrics) -> None:
    await metrics.check()
