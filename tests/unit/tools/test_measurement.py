"""How replicas add up."""

from dataclasses import replace

import pytest

from encbench.core.slices import of_clients
from encbench.core.statistics.histogram import percentile
from encbench.tools.measurement import Measurement, TransactionKind, in_slices, mean, merge
from encbench.wire.slices import SliceRow, SlicesFile


def measured(**changes: object) -> Measurement:
    plain = Measurement(
        seconds=10.0,
        transactions=100,
        tps=10.0,
        qps=200.0,
        latency_average_ms=2.0,
        latency_p95_ms=2.0,
        errors=1,
        reconnects=0,
        histogram=((2.0, 100),),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_one_replica_is_left_as_it_is() -> None:
    assert merge([measured()]) == measured()


def test_counts_and_rates_are_summed() -> None:
    both = merge([measured(), measured(transactions=300, tps=30.0, errors=4, seconds=10.5)])
    assert (both.transactions, both.tps, both.errors) == (400, 40.0, 5)
    assert both.qps == 400.0
    assert both.seconds == 10.5


def test_the_average_is_weighted_by_transactions() -> None:
    slow = measured(transactions=300, latency_average_ms=6.0)
    assert merge([measured(), slow]).latency_average_ms == pytest.approx(5.0)


def test_the_percentile_comes_from_the_merged_histogram() -> None:
    quick = measured(histogram=((1.0, 1000),), latency_p95_ms=1.0)
    slow = measured(histogram=((1.0, 10), (8.0, 90)), latency_p95_ms=8.0)
    both = merge([quick, slow])
    assert both.histogram == ((1.0, 1010), (8.0, 90))
    assert both.latency_p95_ms == percentile(both.histogram, 95) == pytest.approx(8.0, rel=0.01)
    assert merge([quick, quick, slow]).latency_p95_ms == pytest.approx(1.0, rel=0.01)


def test_replicas_that_did_nothing_waited_for_nothing() -> None:
    idle = measured(transactions=0, histogram=())
    assert merge([idle, idle]).latency_average_ms == 0.0


def test_what_one_replica_does_not_know_all_together_do_not_know() -> None:
    unknown = measured(
        qps=None, reconnects=None, latency_average_ms=None, latency_p95_ms=None, histogram=()
    )
    both = merge([measured(), unknown])
    assert (both.qps, both.reconnects) == (None, None)
    assert both.latency_average_ms is both.latency_p95_ms is None
    assert both.histogram == ()
    assert (both.transactions, both.tps, both.errors) == (200, 20.0, 2)


def test_further_figures_add_up_where_every_replica_has_them() -> None:
    one = measured(extra={"newOrdersPerSecond": 4.5, "retries": 1.0})
    assert merge([one, one]).extra == {"newOrdersPerSecond": 9.0, "retries": 2.0}
    assert merge([one, measured(extra={"retries": 2.0})]).extra == {"retries": 3.0}


def test_kinds_of_transactions_are_merged_by_name() -> None:
    one = measured(
        kinds=(
            TransactionKind("newOrder", 2, 1, ((1.0, 2),)),
            TransactionKind("payment", 1, 0, ((2.0, 1),)),
        )
    )
    two = measured(
        kinds=(
            TransactionKind("newOrder", 3, 0, ((1.0, 1), (4.0, 2))),
            TransactionKind("payment", 0, 0),
        )
    )
    assert merge([one, two]).kinds == (
        TransactionKind("newOrder", 5, 1, ((1.0, 3), (4.0, 2))),
        TransactionKind("payment", 1, 0, ((2.0, 1),)),
    )


def test_a_kind_that_one_replica_has_no_latencies_of_has_none() -> None:
    known = measured(kinds=(TransactionKind("newOrder", 2, 1, ((1.0, 2),)),))
    (kind,) = merge([known, measured(kinds=(TransactionKind("newOrder", 3),))]).kinds
    assert kind == TransactionKind("newOrder", 5, None, ())
    assert (kind.latency_average_ms, kind.latency_p95_ms) == (None, None)


def test_a_kind_s_latency_comes_from_its_histogram() -> None:
    kind = TransactionKind("newOrder", 100, 0, ((1.0, 90), (9.0, 10)))
    assert kind.latency_average_ms == pytest.approx(1.8)
    assert kind.latency_p95_ms == pytest.approx(9.0, rel=0.01)
    assert mean(()) is None


def kept(slot: int, transactions: int, new_orders: int) -> SliceRow:
    return SliceRow(
        slice=slot,
        begin=10.0 * slot,
        counted=10.0 * slot + 1,
        end=10.0 * slot + 3,
        transactions=transactions,
        newOrders=new_orders,
        allTransactions=2 * transactions,
        cpuSeconds=0.5,
    )


def test_of_an_interleaved_run_only_slices_count() -> None:
    file = SlicesFile(
        schema="encbench.io/slices/v1",
        slices=[kept(1, 100, 45), kept(4, 300, 135)],
        latency=[(1.0, 4.0, 380), (9.0, 16.0, 20)],
    )
    slices = of_clients([file], [0.0], 2)
    traffic = {"roundTripsPerSecond": 190.0, "cellsPerSecond": 860.0}
    traffic |= {"deliveredOrdersPerSecond": 36.0, "skippedDistrictsPerSecond": 4.0}
    whole = measured(extra={"newOrdersPerSecond": 4.5, "retriesPerSecond": 1.0, **traffic})
    found = in_slices(whole, slices)
    assert (found.transactions, found.seconds, found.tps) == (400, 4.0, 100.0)
    assert found.latency_p95_ms == pytest.approx(2.0, rel=0.01)
    # A retry is counted with its second, and so for the whole run alone.
    assert found.extra.keys() == {"newOrdersPerSecond", *traffic}
    assert found.extra["newOrdersPerSecond"] == 45.0
    for name, rate in traffic.items():
        each = rate / whole.tps
        assert found.extra[name] / found.tps == pytest.approx(each), "of each transaction the same"
    some = in_slices(measured(errors=30, transactions=1000), slices)
    assert some.errors == 12, "of each transaction the same"
    assert in_slices(measured(), slices).extra == {}, "a tool that has no New-Orders reports none"
