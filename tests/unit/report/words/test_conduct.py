"""How it was measured, in words: what the resets took stands beside that there were some."""

from dataclasses import replace

import pytest

from encbench.api.instancetemplate import External
from encbench.api.tpcc import BenchmarkSql
from encbench.core.records import TrialRecord
from encbench.report.analysis.bucket import Attempt
from encbench.report.analysis.build import build
from encbench.report.analysis.views import view
from encbench.report.compare.difference import compare
from encbench.report.document import Report
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from encbench.report.words import conduct
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study, write

EACH_TRIAL = "each server started anew before each trial, then the warm-up"
STUDY = Study(concurrency=(4,), blocks=2)
EXTERNAL = External.model_validate(
    {"host": "db.example.com", "database": "tpcc", "credentialsSecretRef": {"name": "db"}}
)


def report(*restored: float | None) -> Report:
    """With these seconds of copying, the last of them for all further trials."""
    found = report_of(STUDY)
    seconds = [*restored, *[restored[-1]] * len(found.trials)]
    trials = tuple(
        trial.model_copy(update={"restored_seconds": took})
        for trial, took in zip(found.trials, seconds, strict=False)
    )
    spec = found.spec.model_copy(update={"reset": "trial"})
    return found.model_copy(update={"trials": trials, "spec": spec})


def test_the_restoring_s_time_is_reported() -> None:
    found = report(9.5, None, 3.0)
    assert len(found.trials) > 3
    words = "data restored before each trial, in 3.0 s at the median and 9.5 s at most"
    assert words in conduct.plan(found)
    assert words in markdown(found)


def test_no_time_is_made_up() -> None:
    plan = conduct.plan(report(None))
    assert plan.endswith("data restored before each trial; " + EACH_TRIAL)


@pytest.mark.parametrize(
    ("reset", "residency", "cache", "words"),
    [
        ("none", "Resident", "Warm", "caches warm from the warm-up"),
        (
            "block",
            "Resident",
            "Warm",
            "each server started anew before each block, then the warm-up",
        ),
        ("block", "OnDemand", "Warm", EACH_TRIAL),
        ("none", "OnDemand", "Warm", EACH_TRIAL),
        (
            "none",
            "Resident",
            "Cold",
            "each trial on a server just started, its files dropped from the page cache",
        ),
    ],
)
def test_a_server_that_was_started_anew_is_not_called_warm(
    reset: str, residency: str, cache: str, words: str
) -> None:
    found = report(None)
    update = {"reset": reset, "residency": residency, "cache": cache}
    spec = found.spec.model_copy(update=update)
    plan = conduct.plan(found.model_copy(update={"spec": spec}))
    assert plan.endswith("; " + words)


@pytest.mark.parametrize(
    ("colocated", "known", "words", "compared"),
    [
        (True, True, "client and database shared a node", "on one node"),
        (False, True, "client and database on different nodes", "on different nodes"),
        (False, False, "not known whether client and database shared a node", "not known"),
    ],
)
def test_where_clients_ran_is_told_if_it_is_known(
    colocated: bool, known: bool, words: str, compared: str
) -> None:
    """The node of an external database is not, and without a trial none is."""
    found = report_of(replace(STUDY, colocated=colocated))
    facts = tuple(it for it in found.provenance.facts if known or it.name != "Database node")
    provenance = found.provenance.model_copy(update={"facts": facts})
    found = found.model_copy(update={"provenance": provenance})
    assert conduct.placement(found) == words
    assert words in page(found)
    other = report_of(replace(STUDY, colocated=not colocated))
    (differs,) = [
        it for it in compare(found, other).differences if it.name == "client and database"
    ]
    assert differs.a == compared


def test_other_programs_beside_a_cipher_in_the_kernel_are_a_disturbance() -> None:
    """As on the node of the client, where the database's has dm-crypt."""
    found = report_of(STUDY)
    both = {"foreign_cpu_percent": 7.0, "foreign_with_dm_crypt_percent": 61.0}
    loads = {"tde": both}
    trials = tuple(
        t.model_copy(update=loads.get(t.arm, {"foreign_cpu_percent": 3.0})) for t in found.trials
    )
    (outside, *_) = conduct.disturbances(found.model_copy(update={"trials": trials}))
    assert outside[:2] == ("load from outside, of a node's cores", "at most 7.0 %")


@pytest.mark.parametrize("silent", [False, True])
def test_clients_that_do_not_report_their_sessions_are_named(silent: bool) -> None:
    found = report_of(replace(STUDY, tpcc=True))
    assert "BenchmarkSQL" not in conduct.searches(found)
    resolved, name = found.resolved, "oltp-read-write"
    tpcc = resolved.workloads[name].tpcc
    assert tpcc is not None
    tpcc = tpcc.model_copy(update={"benchmarksql": BenchmarkSql() if silent else None})
    workload = resolved.workloads[name].model_copy(update={"tpcc": tpcc})
    small = resolved.instances["small"].model_copy(update={"external": EXTERNAL})
    update = {"workloads": {name: workload}, "instances": {"small": small}}
    found = found.model_copy(update={"resolved": resolved.model_copy(update=update)})
    said = f"The clients of {name} are BenchmarkSQL's and do not report their sessions."
    assert (said in conduct.searches(found)) is silent


@pytest.mark.parametrize("colocated", [False, True])
def test_a_network_between_nodes_that_encrypts_is_said_not_to_be_seen(colocated: bool) -> None:
    found = report_of(replace(STUDY, colocated=colocated))
    said = "Whether the network encrypts packets between nodes itself"
    assert (said in conduct.searches(found)) is not colocated


def test_it_comes_from_the_trial_s_record() -> None:
    index, bucket = write(STUDY)
    entry = index.trials[0]
    assert entry.key is not None
    record = TrialRecord.model_validate_json(bucket[entry.key])
    assert build(index, bucket.__getitem__).trials[0].restored_seconds is None
    copied = record.model_copy(update={"timings": {**record.timings, "restored": 4.125}})
    assert view(Attempt(entry, copied, ())).restored_seconds == 4.125
