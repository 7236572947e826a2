"""Conditions: transition times, order, lookups."""

from datetime import UTC, datetime, timedelta

from encbench.api.conditions import (
    Condition,
    find,
    format_time,
    is_false,
    is_true,
    parse_time,
    restamped,
    with_condition,
)

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


def test_the_same_fact_twice_changes_nothing() -> None:
    once = with_condition((), "Ready", True, "Done", "all is well", now=NOW, generation=1)
    twice = with_condition(once, "Ready", True, "Done", "all is well", now=LATER, generation=1)
    assert twice == once


def test_the_time_moves_with_the_status_only() -> None:
    first = with_condition((), "Ready", False, "Loading", now=NOW)
    reason = with_condition(first, "Ready", False, "Proving", now=LATER)
    assert reason[0].last_transition_time == format_time(NOW)
    assert reason[0].reason == "Proving"
    ready = with_condition(reason, "Ready", True, "Done", now=LATER)
    assert ready[0].last_transition_time == format_time(LATER)


def test_a_later_generation_changes_nothing_but_itself() -> None:
    once = with_condition((), "Accepted", True, "Planned", "frozen", now=NOW, generation=1)
    (later,) = restamped(once, 2)
    assert later == once[0].model_copy(update={"observed_generation": 2})
    assert restamped([later], 2)[0] is later


def test_order_of_first_appearance_is_kept() -> None:
    conditions: tuple[Condition, ...] = ()
    for kind in ("A", "B", "A"):
        conditions = with_condition(conditions, kind, None, "Asked", now=NOW)
    assert [one.type for one in conditions] == ["A", "B"]
    assert conditions[0].status == "Unknown"


def test_unknown_is_neither_true_nor_false() -> None:
    conditions = with_condition((), "Ready", None, "Asked", now=NOW)
    assert not is_true(conditions, "Ready")
    assert not is_false(conditions, "Ready")
    assert find(conditions, "Other") is None
    assert not is_false(conditions, "Other")


def test_long_messages_are_cut_to_what_the_schema_takes() -> None:
    (one,) = with_condition((), "Ready", False, "Failed", "x" * 9000, now=NOW)
    assert len(one.message) == 4096


def test_times_survive_the_round_trip() -> None:
    assert parse_time(format_time(NOW)) == NOW
    assert parse_time("2030-01-01T12:00:00.000001Z") == NOW + timedelta(microseconds=1)


def test_a_message_is_printable_and_fits() -> None:
    said = "a\nb\x1b[2J\u202e\x9b" + "c" * 5000
    (made,) = with_condition((), "Hindered", True, "NotStored", said, now=NOW)
    assert made.message.startswith("a b [2J  ccc")
    assert len(made.message) == 4096
