"""The command line of the chaos run, and its table."""

import pytest

from tests.chaos.__main__ import main
from tests.chaos.campaign import Outcome
from tests.chaos.course import Hit
from tests.chaos.faults import FAULTS
from tests.chaos.table import lines


def test_the_list_names_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    told = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert told == list(FAULTS)


def test_a_fault_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "etcd-eaten"])
    assert "etcd-eaten" in capsys.readouterr().err


def test_on_a_cluster_of_others_nothing_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLUSTER", "existing")
    assert main([]) == 2
    assert "one of our own" in capsys.readouterr().out


def test_the_table_has_a_line_for_each_fault_and_each_violation() -> None:
    hits = [
        Hit("etcd-killed", "etcd", recovery=4.0),
        Hit("etcd-killed", "etcd", recovery=10.0),
        Hit("etcd-killed", "", "it does not run"),
        Hit("client-killed", "pod"),
    ]
    told = lines([Outcome("chaos-1", hits, ["a trial is lost"], 90.0, trials=9, replaced=3)])
    assert [line.split() for line in told[1:3]] == [
        ["client-killed", "1", "0", "-"],
        ["etcd-killed", "2", "1", "7", "s,", "most", "10", "s"],
    ]
    assert told[-3:] == [
        "campaigns 1, trials 9, of which did not count 3",
        "violations 1",
        "  chaos-1: a trial is lost",
    ]
