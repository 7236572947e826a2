"""Threads whose time is mostly the client's CPU."""

from dataclasses import replace

from encbench.report.analysis.caveats import Facts, cycle, load
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study


def test_threads_that_are_busy_with_the_client_hide_what_the_server_does() -> None:
    """Two threads of a client with four cores: 45 % of its limit, 0.9 ms of each ms."""
    found = report_of(Study(concurrency=(2,)))
    changes = {"tps": 2000.0, "client_cpu_ms_per_transaction": 0.9, "client_cpu_percent": 45.0}
    trials = [trial.model_copy(update=changes) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    assert not list(load.busy_client(facts))
    (caveat,) = cycle.busy_threads(facts)
    assert "In 18 of 18 counted trials the client's CPU was more than 50 % of a" in caveat.text
    assert "transaction's time, 90 % at most." in caveat.text
    offered = [group.model_copy(update={"offered_tps": 2000.0}) for group in found.groups]
    assert not list(cycle.busy_threads(replace(facts, groups=offered)))
