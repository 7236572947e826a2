"""Studies and facts that the tests of several caveats share."""

from collections.abc import Callable
from dataclasses import replace

from encbench.api.instancetemplate import External, InstanceTemplateSpec
from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats import Facts
from encbench.report.document import Provenance
from encbench.report.document.trial import TrialView
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

CALM = Study(concurrency=(16,))
BUSY = replace(CALM, concurrency=(64,))
"""A server at its limit."""
IN_TURNS = replace(CALM, rounds=10)
"""Clients that run for 30 s of each window, in slices of 3 s."""
IN_SETS = replace(CALM, lost_in=3)


def titles(study: Study) -> set[str]:
    return {caveat.title for caveat in report_of(study).caveats}


def unmeasured(study: Study) -> Facts:
    """The facts of a study in which load from outside was not measured."""
    found = report_of(replace(study, foreign=None))
    return Facts(
        found.spec, found.resolved, found.groups, found.trials, (), found.provenance, sources=()
    )


def outside(facts: Facts) -> dict[str, InstanceTemplateSpec]:
    """The instances of a study, run by others."""
    external = {
        "host": "db.example.com",
        "database": "sbtest",
        "credentialsSecretRef": {"name": "db"},
    }
    own = {"external": External.model_validate(external)}
    return {name: one.model_copy(update=own) for name, one in facts.resolved.instances.items()}


def of_sets(
    nodes: Callable[[TrialView], tuple[str, str]] = lambda _: ("a", "b"),
    settings: Callable[[TrialView], dict[str, str]] = lambda _: {},
    images: Callable[[TrialView], dict[str, str]] = lambda _: {},
    jars: Callable[[TrialView], tuple[str, ...] | None] = lambda _: None,
) -> Facts:
    """Of two sets of testbeds, by the nodes of each trial's database and of its client."""
    found = report_of(IN_SETS)
    beds: dict[str, tuple[TrialView, set[str]]] = {}
    for trial in found.trials:
        beds.setdefault(trial.testbed, (trial, set()))[1].add(trial.uid)
    sources = []
    for bed, (trial, uids) in beds.items():
        home, client = (MachineFacts(node=name, cpu_model=name[:4]) for name in nodes(trial))
        record = ProvenanceRecord(
            testbed=bed,
            server=ServerFacts(version="1", settings=settings(trial)),
            machine=home,
            clients=(client,),
            images=images(trial),
            driver_jars=jars(trial),
        )
        sources.append(ProvenanceSource("key", "digest", record, uids))
    return Facts(found.spec, found.resolved, found.groups, found.trials, (), Provenance(), sources)


def text_of(study: Study, title: str) -> str:
    return next(c.text for c in report_of(study).caveats if c.title == title)
