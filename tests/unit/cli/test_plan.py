"""`kubectl encbench plan`: the operator's own plan and refusals, from manifests alone."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from encbench.admission.checks import admit
from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    SECRET,
    STORAGE_CLASS,
    WORKLOAD,
    Kind,
)
from encbench.cli import outline as outlines
from encbench.cli.installation import DEPLOYMENT
from encbench.cli.main import main
from encbench.cli.manifests import Lenient, Offline, load
from encbench.cli.outline import Outline
from encbench.cli.outline_text import text
from encbench.cli.plan import from_cluster, pace
from encbench.cli.progress import clock
from encbench.core import plan
from encbench.core.plan import Past
from encbench.core.problem import Reason
from encbench.kube.labels import CREDENTIALS, USE
from encbench.ports import Body, Rejected
from encbench.reconcile import objects
from encbench.reconcile.campaign.estimate import makespan
from encbench.reconcile.campaign.pace import DEAD_TIME
from tests.support.fake_cluster import FakeCluster
from tests.support.manifests import body
from tests.unit.cli.campaigns import OUTSIDE, campaign, everything, written
from tests.unit.cli.deployments import operator
from tests.unit.reconcile.world import World, parts, study

KINDS = {kind.kind: kind for kind in (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD, CAMPAIGN)}
REPO = Path(__file__).resolve().parents[3]
DEMO = [str(REPO / "campaigns" / "demo" / f"{n}.yaml") for n in ("instance", "modes", "workload")]


async def outlined(folder: Path, **spec: Any) -> Outline:
    found = await load([written(folder, *everything(**spec))], None, "bench")
    (given,) = found.of(CAMPAIGN)
    parsed = objects.campaign(given)
    gathered, problems = await admit(Offline(found), "bench", parsed.name, parsed.spec)
    assert not problems
    return outlines.outline(parsed.spec, gathered.freeze({}))


# --------------------------------------------------------------------------------------- plan


async def test_the_order_is_that_in_which_the_operator_starts_trials(tmp_path: Path) -> None:
    found = await outlined(tmp_path, blocks={"min": 5}, seed=11)
    (cell,) = found.cells
    past: list[Past] = []
    ran: list[tuple[int, int, str, str, int]] = []
    while (planned := plan.next_trial(found.spec, cell.cell, past).next_trial) is not None:
        threads, block = planned.condition.concurrency, planned.block
        ran.append((block, threads, planned.arm.name, planned.seat.name, planned.generation))
        past.append(Past(planned.cell, planned.condition, block, planned.arm.name, "Succeeded"))
    shown = [
        (block.block, c.concurrency, trial.arm, trial.testbed_of, block.set)
        for n in range(5)
        for c in cell.conditions
        for block in [c.order[n]]
        for trial in block.trials
    ]
    assert shown == ran
    assert len(ran) == found.trials.least == found.trials.most == 5 * 3 * 2


async def test_time_is_the_sum_of_what_is_said(tmp_path: Path) -> None:
    found = await outlined(tmp_path, blocks={"min": 5, "maxReplacements": 2})
    assert found.time.measured_seconds == 30 * 50
    assert found.time.warmup_seconds == 30 * 10
    assert found.time.between_trials_seconds == 30 * DEAD_TIME
    assert found.time.least_seconds == 30 * (60 + DEAD_TIME)
    assert found.trials.with_all_replacements == 7 * 3 * 2


async def test_clients_that_gather_first_take_their_time(tmp_path: Path) -> None:
    """Two of them with 8 threads: 1.24 s before each trial."""
    one = await outlined_with(tmp_path, blocks={"min": 5})
    assert one.trials.least == 15
    assert one.time.between_trials_seconds == pytest.approx(15 * (DEAD_TIME + 1.24))
    assert one.time.least_seconds == pytest.approx(15 * (60 + DEAD_TIME + 1.24))
    turns = {"min": 1, "interleave": {"slice": "3s"}}
    together = await outlined_with(tmp_path, blocks=turns)
    solo = await outlined_with(tmp_path, blocks={**turns, "solo": 2})
    more = solo.time.least_seconds - together.time.least_seconds
    assert more == pytest.approx(2 * 3 * (60 + DEAD_TIME + 1.24))
    for found in (one, solo):
        assert found.time.source.endswith("seen some, and what the clients take to gather")
    assert "gather" not in together.time.source


def test_cells_side_by_side_take_as_long_as_the_longest_lane(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (makespan([5, 3, 3], 1), makespan([5, 3, 3], 2), makespan([5, 3, 3], 3)) == (11, 6, 5)
    template, *others, study_ = everything(blocks={"min": 5}, parallelism=2)
    large = {**template, "metadata": {**template["metadata"], "name": "large"}}
    study_["spec"]["matrix"][0]["instanceRefs"] = ["small", "large"]
    given = ["-f", written(tmp_path, template, large, *others, study_)]
    assert main(["plan", "--output", "json", *given]) == 0
    time = json.loads(capsys.readouterr().out)["campaigns"][0]["time"]
    one = 30 * (60 + DEAD_TIME)
    assert (time["leastSeconds"], time["inARowSeconds"]) == (one, 2 * one)
    assert time["measuredSeconds"] == 60 * 50
    assert main(["plan", *given]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "trials and time (2 cells side by side, if there are nodes for each of them)" in said
    assert "planned 60 trials 32:30" in said
    assert "Of 1:05:00 in a row 50:00 are measured (77 %)" in said


async def test_with_precision_there_is_a_least_and_a_most(tmp_path: Path) -> None:
    blocks = {"min": 8, "max": 20, "perTestbed": 2}
    found = await outlined(tmp_path, blocks=blocks, precision={"targetHalfWidth": 0.01})
    assert (found.trials.least, found.trials.most) == (8 * 3 * 2, 20 * 3 * 2)
    (cell,) = found.cells
    assert (cell.testbed_sets.least, cell.testbed_sets.most) == (4, 10)
    assert [block.set for block in cell.conditions[0].order] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_a_pilot_of_few_interleaved_blocks_is_not_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = {"min": 4, "max": 20, "interleave": {}}
    bodies = everything(blocks=blocks, precision={"targetHalfWidth": 0.02})
    assert main(["plan", "-f", written(tmp_path, *bodies)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    wanted = "4 blocks a condition: the pilot, to reach ±2 % of the ratio to the baseline, and 6"
    assert f"{wanted} in all at least" in said


@pytest.mark.parametrize(
    ("per_testbed", "solo", "sets"), [(0, 2, 1), (1, 0, 12), (1, 2, 14), (3, 2, 5), (3, 3, 6)]
)
async def test_solo_blocks_have_sets_of_their_own(
    per_testbed: int, solo: int, sets: int, tmp_path: Path
) -> None:
    """A thousand is no multiple of three, so 1001 and 1002 share a set, and 1003 has another."""
    blocks = {"min": 12, "perTestbed": per_testbed, "interleave": {}, "solo": solo}
    (cell,) = (await outlined(tmp_path, blocks=blocks)).cells
    assert (cell.testbed_sets.least, cell.testbed_sets.most) == (sets, sets)


@pytest.mark.parametrize(("seconds", "said"), [(0, "0:00"), (59.6, "1:00"), (3723, "1:02:03")])
def test_clock(seconds: float, said: str) -> None:
    assert clock(seconds) == said


# ------------------------------------------------------------------------------------ command


def test_the_demo_would_be_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(REPO / "campaigns" / "demo" / "campaign.yaml")
    arguments = [flag for file in (*DEMO, path) for flag in ("-f", file)]
    assert main(["plan", *arguments, "-n", "encbench"]) == 0
    said = capsys.readouterr().out
    assert "campaign demo in namespace encbench: would be accepted" in said
    assert "A′, the baseline again" in said
    assert "blocks of write-only at 4 threads on mariadb-small (seed 1)" in said


def test_all_that_is_wrong_is_said_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, plain, tde, workload, _ = everything()
    instance["spec"]["settings"] = {"innodb_bufer_pool_size": "64M", "datadir": "/tmp"}
    tde["spec"]["atRest"]["keySecretRef"] = {"name": "my-key", "key": "keyfile"}
    workload["spec"]["sysbench"] = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    matrix = [{"instanceRefs": ["small"], "modeRefs": ["tde", "gone"], "workloadRefs": ["oltp"]}]
    file = written(tmp_path, instance, plain, tde, workload, campaign(matrix=matrix))
    assert main(["plan", "-f", file]) == 1
    said = " ".join(capsys.readouterr().out.split())
    for problem in (
        "campaign study in namespace bench: would be refused",
        "there is no EncryptionMode gone in namespace bench",
        "there is no ConfigMap mine",
        "settings.datadir belongs to the operator",
        "note: InstanceTemplate small: settings.innodb_bufer_pool_size is not known to MariaDB ",
        "; did you mean innodb_buffer_pool_size?",
        "there is no Secret my-key with an entry keyfile",
        "search the cluster with --live",
    ):
        assert problem in said


@pytest.mark.parametrize(
    ("engine", "tpcc", "reset", "noted"),
    [
        ("postgresql", {"statements": "benchmarksql"}, "none", True),
        ("postgresql", {"statements": "benchmarksql"}, "block", False),
        ("postgresql", {}, "none", False),
        ("mysql", {"statements": "benchmarksql"}, "none", False),
    ],
)
def test_orders_that_may_pile_up_are_noted(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    engine: str,
    tpcc: dict[str, str],
    reset: str,
    noted: bool,
) -> None:
    instance, plain, tls, workload, _ = everything()
    version = {"postgresql": "17", "mysql": "8.4"}[engine]
    image = f"docker.io/encbench/{engine}:{version}"
    instance["spec"] |= {
        "engine": engine,
        "version": version,
        "image": image,
        "settings": {},
        "resources": {"cpu": "1", "memory": "1Gi"},
    }
    tls["spec"] = {"inTransit": {}}
    del workload["spec"]["sysbench"]
    workload["spec"]["tpcc"] = {"warehouses": 2, **tpcc}
    file = written(tmp_path, instance, plain, tls, workload, campaign(reset=reset))
    assert main(["plan", "-f", file]) == 0
    said = " ".join(capsys.readouterr().out.split())
    note = "note: Workload oltp on InstanceTemplate small: PostgreSQL may plan Stock-Level anew"
    assert (note in said) is noted


def test_a_load_unlike_tpcc_s_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instance, plain, tls, workload, _ = everything()
    del workload["spec"]["sysbench"]
    workload["spec"]["tpcc"] = {"warehouses": 50}
    tls["spec"] = {"inTransit": {}}
    main(["plan", "-f", written(tmp_path, instance, plain, tls, workload, campaign())])
    said = " ".join(capsys.readouterr().out.split())
    assert "note: Workload oltp: a terminal stays with its warehouse, so " in said


UNIFORM = "write sysbench.options rand-type: uniform"
RESET, ANEW = "write reset: block", "write blocks.perTestbed: 1"


@pytest.mark.parametrize(
    ("sysbench", "changes", "noted"),
    [
        ({}, {}, {UNIFORM, RESET}),
        ({}, {"external": True}, {UNIFORM, ANEW}),
        ({"options": {"rand_type": "uniform"}}, {}, {RESET}),
        ({"options": {"rand-type": "pareto"}}, {"reset": "block"}, {UNIFORM}),
        ({"options": {"rand-type": "uniform"}}, {"reset": "trial"}, set()),
        ({}, {"blocks": {"min": 6, "perTestbed": 1}}, {UNIFORM}),
        ({"script": "oltp_write_only"}, {}, set()),
    ],
)
def test_rows_that_are_deleted_once_are_noted(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    sysbench: Body,
    changes: Body,
    noted: set[str],
) -> None:
    instance, plain, tls, workload, _ = everything()
    workload["spec"]["sysbench"] = {
        "script": "oltp_delete",
        "tables": 2,
        "tableSize": 1000,
        **sysbench,
    }
    if changes.pop("external", False):
        instance["spec"] = OUTSIDE
    main(["plan", "-f", written(tmp_path, instance, plain, tls, workload, campaign(**changes))])
    said = " ".join(capsys.readouterr().out.split())
    assert ("note: Workload oltp on InstanceTemplate small: oltp_delete" in said) is bool(noted)
    assert {one for one in (UNIFORM, RESET, ANEW) if one in said} == noted


@pytest.mark.parametrize(("blocks", "advised"), [({}, True), ({"perTestbed": 1}, False)])
def test_beside_an_external_database_no_reset_is_advised(
    blocks: dict[str, int], advised: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, plain, _, workload, _ = everything()
    postgresql = {"engine": "postgresql", "version": "17"}
    instance["spec"] |= {**postgresql, "settings": {}, "resources": {"cpu": "1", "memory": "1Gi"}}
    instance["spec"]["image"] = "docker.io/encbench/postgresql:17"
    place = {"host": "db.example.com", "database": "x", "credentialsSecretRef": {"name": "login"}}
    outside = body(INSTANCE_TEMPLATE, "theirs", "bench")
    outside["spec"] = {**postgresql, "external": place}
    del workload["spec"]["sysbench"]
    workload["spec"]["tpcc"] = {"warehouses": 2, "statements": "benchmarksql"}
    refs = {"modeRefs": ["plain"], "workloadRefs": ["oltp"]}
    matrix = [{"instanceRefs": ["small", "theirs"], **refs}]
    study = campaign(matrix=matrix, blocks={"min": 4, **blocks})
    main(["plan", "-f", written(tmp_path, instance, outside, plain, workload, study)])
    said = " ".join(capsys.readouterr().out.split())
    assert "write reset: block" not in said
    assert ("looks dearer: write blocks.perTestbed, unless" in said) is advised


async def test_the_refusals_are_the_operator_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same objects in the simulated world and in a file: the same sentences."""
    instance, *rest = parts()
    instance["spec"]["settings"] = {"innodb_buffer_pool_siz": "64M"}
    bodies = [instance, *rest, study("tde", "gone")]
    world = World()
    world.apply(*bodies)
    await world.settle(60)
    (accepted,) = [c for c in world.campaign().status.conditions if c.type == "Accepted"]
    assert accepted.status == "False"

    found = await load([written(tmp_path, *bodies)], None, "bench")
    (given,) = found.of(CAMPAIGN)
    spec = objects.campaign(given).spec
    _, problems = await admit(Offline(found), "bench", "study", spec)
    assert "; ".join(problem.text for problem in problems) == accepted.message


def test_what_apply_would_refuse_is_said_with_the_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, *rest = everything()
    instance["spec"]["resources"] = {"cpu": "1", "memory": "1Mi"}
    assert main(["plan", "-f", written(tmp_path, instance, *rest)]) == 1
    said = capsys.readouterr().out
    assert "kubectl apply would refuse:\n  InstanceTemplate small" in said
    assert "first correct what kubectl apply would refuse: InstanceTemplate small" in said
    assert "there is no InstanceTemplate" not in said


def test_parts_without_a_campaign_are_checked_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "-f", written(tmp_path, *everything()[:-1])]) == 0
    assert "The manifests contain no Campaign" in capsys.readouterr().out


def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, *everything(blocks={"min": 14}))
    assert main(["plan", "-f", file, "--output", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "encbench.io/plan/v1"
    (planned,) = document["campaigns"]
    assert planned["trials"] == {"least": 84, "most": 84, "withAllReplacements": 102}
    assert planned["time"]["leastSeconds"] == 84 * (60 + DEAD_TIME)
    orders = [c["order"] for c in planned["cells"][0]["conditions"]]
    assert [len(order) for order in orders] == [14, 14]
    assert main(["plan", "-f", file]) == 0
    assert "and so on to block 14" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["demo", "-f", "x.yaml"]])
def test_one_of_name_and_manifests(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *arguments]) == 2
    assert "name either a campaign in the cluster, or manifests" in capsys.readouterr().err


# ------------------------------------------------------------------------------------ cluster


async def test_a_campaign_that_runs_is_planned_with_its_own_pace() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=3, residency="OnDemand"))
    await world.run(lambda: sum(bool(t.status.release_at) for t in world.trials()) >= 5)
    answer = await from_cluster(world.cluster, "bench", "study")
    (planned,) = answer.campaigns
    assert answer.is_good and planned.standing == "was accepted" and planned.outline is not None
    found = pace(world.trials(), world.campaign().spec)
    assert found is not None and found.source == planned.outline.time.source
    assert "the median of this campaign's 5 trials so far" in found.source
    said = " ".join(text(answer).split())
    assert "Not counted: starting, loading and proving the databases, which depends on" in said
    assert "starting and stopping each database" not in said, "which is in the pace"


@pytest.mark.parametrize("keeps", [False, True])
async def test_notes_on_a_campaign_that_was_accepted_are_for_a_new_one(keeps: bool) -> None:
    world = World()
    world.apply(*parts(), study("tde"))
    await world.run(lambda: world.campaign().status.resolved is not None)
    own = {"storageclass.kubernetes.io/is-default-class": "true"}
    default = {"name": "disks", "annotations": own}
    policy = "Retain" if keeps else "Delete"
    world.cluster.add(STORAGE_CLASS, {"metadata": default, "reclaimPolicy": policy})
    answer = await from_cluster(world.cluster, "bench", "study")
    notes = answer.campaigns[0].notes
    assert ("name a class with Delete" in " ".join(one.text for one in notes)) is keeps
    assert any("about a new campaign" in one for one in answer.warnings) is bool(notes)


async def test_a_campaign_that_was_refused_says_why() -> None:
    world = World()
    world.apply(study("tde"))
    await world.settle(30)
    answer = await from_cluster(world.cluster, "bench", "study")
    assert not answer.is_good
    assert any("there is no InstanceTemplate" in p.text for p in answer.campaigns[0].problems)


async def test_what_the_installation_allows_counts() -> None:
    cluster = FakeCluster()
    for one in everything():
        cluster.add(KINDS[one["kind"]], one)
    answer = await from_cluster(cluster, "bench", "study")
    (said,) = answer.warnings
    assert answer.is_good
    assert said.startswith("What the installation has and allows was not checked: no encbench oper")
    cluster.add(DEPLOYMENT, operator("--namespace=bench", "--allowed-image=r.example.com"))
    answer = await from_cluster(cluster, "bench", "study")
    assert not answer.warnings
    assert {one.reason for one in answer.campaigns[0].problems} == {Reason.NOT_ALLOWED}


async def test_the_trials_of_a_namespace_count() -> None:
    class Author(FakeCluster):
        may_list = True

        async def list(
            self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
        ) -> list[Body]:
            if kind is CAMPAIGN and not self.may_list:
                raise Rejected("forbidden")
            return await super().list(kind, namespace, labels)

    cluster = Author()
    for one in everything():
        cluster.add(KINDS[one["kind"]], one)
    cluster.add(DEPLOYMENT, operator("--namespace=bench", "--namespace-trials=10"))
    answer = await from_cluster(cluster, "bench", "study")
    assert [one.reason for one in answer.campaigns[0].problems] == [Reason.TOO_MANY_TRIALS]
    cluster.may_list = False
    answer = await from_cluster(cluster, "bench", "study")
    assert answer.is_good
    assert answer.warnings[0].startswith("Whether other campaigns of namespace bench leave room")


async def test_what_an_earlier_campaign_left_counts() -> None:
    class Author(FakeCluster):
        may_read = True

        async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
            if kind is SECRET and not self.may_read:
                raise Rejected("forbidden")
            return await super().get(kind, namespace, name)

    cluster = Author()
    for one in everything():
        cluster.add(KINDS[one["kind"]], one)
    cluster.add(DEPLOYMENT, operator("--namespace=bench", "--namespace-trials=10000"))
    cluster.add(SECRET, {"kind": "Secret", "metadata": {"name": "study-ca", "namespace": "bench"}})
    answer = await from_cluster(cluster, "bench", "study")
    assert [one.reason for one in answer.campaigns[0].problems] == [Reason.NAME_TAKEN]
    cluster.may_read = False
    answer = await from_cluster(cluster, "bench", "study")
    assert answer.is_good
    (said,) = answer.warnings
    assert said.startswith("Whether Secret study-ca is left of an earlier campaign was not checked")


async def test_a_campaign_that_has_to_wait_for_room_is_planned() -> None:
    cluster = FakeCluster()
    other = campaign(blocks={"min": 1})
    other["metadata"] |= {"name": "other", "uid": "other"}
    progress = {"planned": 999, "active": 1, "succeeded": 0, "invalid": 0, "failed": 0}
    other["status"] = {"progress": progress}
    for one in (*everything(), other):
        cluster.add(KINDS[one["kind"]], one)
    cluster.add(DEPLOYMENT, operator("--namespace=bench", "--namespace-trials=1000"))
    answer = await from_cluster(cluster, "bench", "study")
    assert answer.is_good
    (waits,) = answer.campaigns
    assert waits.outline is not None
    assert Reason.NAMESPACE_FULL in {one.reason for one in waits.notes}
    assert "campaign study in namespace bench: would wait until others end" in text(answer)


async def test_storage_classes_that_one_may_not_read_are_taken_to_be_there() -> None:
    class Author(FakeCluster):
        async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
            raise Rejected("forbidden")

    reader = Lenient(Author())
    assert await reader.get(STORAGE_CLASS, "", "fast") == {"metadata": {"name": "fast"}}
    with pytest.raises(Rejected):
        await reader.get(SECRET, "bench", "key")


def test_what_is_not_counted_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = everything(reset="block", residency="OnDemand", cache="Cold")
    assert main(["plan", "-f", written(tmp_path, *bodies)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "loaded once into each database, restored before each block" in said
    assert "at once 1 × 1 CPU and 512Mi for databases" in said
    assert "; restoring the data before each block; restarting the server before each trial" in said


@pytest.mark.parametrize("external", [False, True])
def test_the_queries_after_each_trial_are_not_counted(
    external: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An external database has no agent to ask them."""
    instance, plain, _, workload, _ = everything()
    del workload["spec"]["sysbench"]
    workload["spec"]["tpcc"] = {"warehouses": 2}
    login = {"username": "Ym9i", "password": "Ym9i"}
    meta = {"name": "db", "namespace": "bench", "labels": {USE: CREDENTIALS}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": login}
    if external:
        instance["spec"] = OUTSIDE
    refs = {"modeRefs": ["plain"], "workloadRefs": ["oltp"]}
    study = campaign(matrix=[{"instanceRefs": ["small"], **refs}])
    assert main(["plan", "-f", written(tmp_path, instance, plain, workload, secret, study)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert ("; TPC-C's consistency queries after each trial" in said) is not external


def test_blocks_in_turns_are_said_as_they_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All arms of a block run at once, each with clients of its own; solo blocks do not."""
    blocks = {"min": 3, "maxReplacements": 1, "solo": 2, "interleave": {"slice": "3s"}}
    assert main(["plan", "-f", written(tmp_path, *everything(blocks=blocks))]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    (at_once,) = [line for line in lines if line.startswith("at once ")]
    assert re.search(r" databases, 3 × \S+ CPU and \S+ for clients$", at_once)
    assert "trials and time (all arms of a block at once, in turns)" in lines
    (planned,) = [line for line in lines if line.startswith("planned 30 trials")]
    assert planned.endswith("3 blocks and 2 solo blocks a condition")
    assert "blocks of oltp at 8 threads on small (seed 1)" in lines
    (first, _) = [line for line in lines if line.startswith("block 1 ")]
    assert sorted(first.replace("*", "").split()[2:]) == ["plain", "plain-control", "tde"]
    assert lines.count("and 2 solo blocks, one trial after the other") == 2


def test_an_external_database_is_shared_and_its_secret_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template, plain, _, workload, study_ = everything()
    place = {"host": "db.example.com", "database": "bench", "credentialsSecretRef": {"name": "db"}}
    template["spec"] = {"engine": "mysql", "version": "8.0", "external": place}
    study_["spec"]["matrix"][0]["modeRefs"] = ["plain"]
    bodies = [template, plain, workload, study_]
    assert main(["plan", "-f", written(tmp_path, *bodies)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "there is no Secret db in namespace bench" in said
    assert "or search the cluster with --live" in said
    login = {"username": "Ym9i", "password": "Ym9i"}
    meta = {"name": "db", "namespace": "bench", "labels": {USE: CREDENTIALS}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": login}
    assert main(["plan", "-f", written(tmp_path, *bodies, secret)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "loaded once for all arms" in said
    assert "at once one outside the cluster, which all arms share" in said


async def test_the_room_is_that_of_the_pods_with_their_sidecars(tmp_path: Path) -> None:
    """2 cores and 4 GiB of the server's, with a proxy of 1 core and 64Mi in the largest arm."""
    found = await outlined_with(tmp_path, columns={"method": "confidential", "ratio": 100})
    databases, clients = found.cells[0].room.databases, found.cells[0].room.clients
    assert databases is not None
    assert (databases.count, databases.millicores) == (3, 2000 + 50 + 1000)
    assert databases.bytes == (4096 + 96 + 64) * 2**20
    assert (clients.count, clients.millicores) == (2, 1000 + 100)
    assert (found.cells[0].room.volumes, found.cells[0].room.volume_size) == (3, "1Gi")
    loads = found.cells[0].room.loads
    assert loads is not None
    assert (loads.count, loads.millicores) == (3, 1000)


async def test_in_turns_and_on_demand(tmp_path: Path) -> None:
    one = await outlined_with(tmp_path, residency="OnDemand")
    assert one.cells[0].room.databases is not None
    assert (one.cells[0].room.databases.count, one.cells[0].room.volumes) == (1, 3)
    assert one.cells[0].room.loads is None, "there is one at a time"
    together = await outlined_with(tmp_path, blocks={"interleave": {"slice": "3s"}})
    # Of each slice of 3 s half a second is left out, and a guard of 50 ms is before it.
    assert together.time.measured_seconds == together.trials.least * 20 * 2.5
    assert together.time.between_trials_seconds > together.trials.least * 20 * 0.55
    # All clients of a block are there, and share the CPU of one.
    assert together.cells[0].room.clients.count == 2 * 3
    assert together.cells[0].room.clients.millicores == 334 + 34


async def outlined_with(folder: Path, **given: Any) -> Outline:
    mode = {"columns": given.pop("columns")} if "columns" in given else {}
    resources = {"cpu": "2", "memory": "4Gi"}
    client = {"image": "tool:1", "replicas": 2, "resources": {"cpu": "1", "memory": "128Mi"}}
    load_ = {"concurrency": [8], "warmup": "10s", "duration": "50s"}
    bodies = [
        body(INSTANCE_TEMPLATE, "small", "bench", resources=resources),
        body(ENCRYPTION_MODE, "plain", "bench"),
        {**body(ENCRYPTION_MODE, "tde", "bench"), "spec": mode},
        body(WORKLOAD, "oltp", "bench", load=load_, client=client),
        campaign(**given),
    ]
    found = await load([written(folder, *bodies)], None, "bench")
    (only,) = found.of(CAMPAIGN)
    parsed = objects.campaign(only)
    gathered, problems = await admit(Offline(found), "bench", parsed.name, parsed.spec)
    assert not problems
    return outlines.outline(parsed.spec, gathered.freeze({}))


def test_nodes_are_said_unless_one_may_hold_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "-f", written(tmp_path, *everything())]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "nodes 3 × 2 cores and " in said
    assert " or more, each for a database of 1.05 CPU and 0.6 GiB" in said
    assert " or more, each for a client of " in said
    assert "loads 3 × 1 CPU and 0.5 GiB beside the databases, or one after another" in said
    assert main(["plan", "-f", written(tmp_path, *everything(allowColocation=True))]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "node one may hold all: " in said
    assert "nodes" not in said
