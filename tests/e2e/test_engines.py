"""Every engine under every mode that it has: a small campaign, and its proofs judged anew.

Nothing of the operator's judgement is used here: the agent's evidence is read from the bucket, and
the files, the sessions and the trials must show what each mode promises.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.e2e.engines import ENGINES, Engine
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

# `make test` has each engine in another file: MariaDB in sequential blocks, MySQL in interleaved
# ones, and PostgreSQL under TPC-C.
pytestmark = pytest.mark.full

SUITE = "TLS_AES_128_GCM_SHA256"


@dataclass(frozen=True)
class Finished:
    """A campaign that ended, with what it left in the bucket."""

    engine: Engine
    campaign: dict[str, Any]
    report: dict[str, Any]
    testbeds: dict[str, dict[str, Any]]
    """The full proof's record, by arm."""
    trials: list[dict[str, Any]]
    proofs: dict[str, list[dict[str, Any]]]
    """Proofs before and after each trial, by arm."""
    outputs: dict[str, str]
    """What the tool printed, by the trial's UID."""

    def arms(self) -> list[str]:
        return ["plaintext", "plaintext-control", *self.engine.modes]


@pytest.fixture(scope="module", params=ENGINES)
def finished(request: pytest.FixtureRequest, installed: Kube) -> Iterator[Finished]:
    """One campaign over all modes of an engine, run to its end."""
    engine, name = ENGINES[request.param], f"engine-{request.param}"
    instance = manifests.instance(name, **engine.fields)
    tls = manifests.mode("tls", inTransit={})
    campaign = manifests.campaign(name, list(engine.modes), blocks={"min": 1, "maxReplacements": 2})
    campaign["spec"]["matrix"][0]["instanceRefs"] = [name]
    installed.apply(instance, tls, campaign)
    body = wait_for("the end of the campaign", lambda: ended(installed, name), 600)
    report = installed.get("overheadreport", name, NAMESPACE)
    assert report is not None
    with bucket(installed) as store:
        index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
        testbeds = {
            entry["arm"]: json.loads(store.get(entry["proof"]["key"]))
            for entry in index["testbeds"]
        }
        trials = [json.loads(store.get(entry["key"])) for entry in index["trials"]]
        proofs: dict[str, list[dict[str, Any]]] = {}
        outputs: dict[str, str] = {}
        for entry, trial in zip(index["trials"], trials, strict=True):
            folder = entry["key"].rpartition("/")[0]
            both = json.loads(store.get(f"{folder}/proofs.json"))
            of_arm = proofs.setdefault(trial["spec"]["arm"]["name"], [])
            of_arm += [both["before"], both["after"]]
            output = store.get(f"{folder}/client-0/output.log").decode()
            outputs[trial["trial"]["uid"]] = output
    verified(installed, name)
    yield Finished(engine, body, report["status"], testbeds, trials, proofs, outputs)
    delete_campaign(installed, name)


def test_every_arm_is_measured(finished: Finished) -> None:
    facts = conditions(finished.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    rows = {row["arm"]: row for row in finished.report["rows"]}
    assert sorted(rows) == sorted(finished.arms())
    for row in rows.values():
        assert row["blocks"] == 1
        assert row["tps"] > 1


def test_the_files_show_what_the_mode_promises(finished: Finished) -> None:
    assert sorted(finished.testbeds) == sorted(finished.arms())
    for arm, record in finished.testbeds.items():
        proof = record["proof"]
        assert proof["ok"], (arm, proof["summary"])
        files = proof["evidence"]["files"]
        for kind in finished.engine.marked:
            found = [file["found"] for file in files if file["kind"] == kind]
            assert found, f"{arm}: no file of kind {kind} was searched"
            if arm == "tde":
                assert not any(found), f"the marker is readable in a {kind} under TDE"
            else:
                assert any(found), f"{arm}: the marker is in no {kind}, so the search is blind"


def test_every_session_negotiated_what_the_mode_promises(finished: Finished) -> None:
    measured = [trial for trial in finished.trials if trial["outcome"] == "Succeeded"]
    assert len(measured) >= len(finished.arms())
    for trial in measured:
        wanted = ("TLSv1.3", SUITE) if trial["spec"]["arm"]["name"] == "tls" else ("none", "none")
        output = finished.outputs[trial["trial"]["uid"]]
        told = re.findall(r"^encbench-session tls=(\S+) cipher=(\S+)$", output, re.MULTILINE)
        assert told
        assert set(told) == {wanted}, trial["spec"]["arm"]


def test_each_trial_is_proven_before_and_after(finished: Finished) -> None:
    for arm, proofs in finished.proofs.items():
        assert proofs
        for proof in proofs:
            assert proof["ok"], (arm, proof["summary"])
            (own,) = proof["evidence"]["files"]
            assert own["found"] == (arm != "tde"), (arm, own)
