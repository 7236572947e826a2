"""Every full campaign: accepted, planned, and said to take what it takes.

Their READMEs say what nodes and disks they need. A node of that size is simulated here: what it
keeps for itself, what runs on every node, and where the scheduler would put the pods of a
measurement.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from encbench.cli.outline import Outline
from encbench.core.starts import started_anew
from encbench.kube.nodes import NodeSize, PodRequest, allocatable, total
from encbench.reconcile.campaign.room import PodRoom
from encbench.tools.sysbench.builtin import prepares
from tests.support import kustomize
from tests.unit.chart.campaigns import CAMPAIGNS, all_of, parsed, planned, problems_of

STUDIES = {
    folder: CAMPAIGNS / folder
    for folder in (
        "percona-decryption",
        "polardbx-confidential",
        "polardbx-tpcc",
        "rds-mysql-confidential",
        "rds-mysql-tde",
        "rds-postgresql-enclave",
        "recovery",
    )
}
EXTERNAL = {
    f"{folder}/external": STUDIES[folder] / "external"
    for folder in ("polardbx-confidential", "polardbx-tpcc")
}
FULL = {**STUDIES, **EXTERNAL}
PARTS = ("base", "embedded", "layers")
"""Folders that are not applied by themselves."""
APPLIED = sorted(
    str(file.parent.relative_to(CAMPAIGNS))
    for file in CAMPAIGNS.rglob("kustomization.yaml")
    if file.parent.name not in PARTS
)
FOLDERS = sorted(path.name for path in CAMPAIGNS.iterdir() if path.is_dir())
DAEMONS = (PodRequest(100, 0), PodRequest(25, 170 * 2**20), PodRequest(10, 24 * 2**20))
"""kube-proxy, a network plugin and the chart's node-exporter."""
CHANGES = {
    "oltp_update_index": 1,
    "oltp_update_non_index": 1,
    "oltp_read_write": 1,
    "oltp_write_only": 1,
    "enclave_write": 1,
    "oltp_insert": 2,
    "oltp_delete": 3,
}
"""How much of the rows a script leaves as they were for those after it: 1 changes them and keeps
their number, 2 adds some, 3 takes some away. All others only read."""
READ_BACK = {
    "innodb_buffer_pool_dump_at_shutdown": "ON",
    "innodb_buffer_pool_dump_pct": "100",
    "innodb_buffer_pool_load_at_startup": "ON",
}
FILLED_BY_WARM_UP = {"rds-mysql-confidential", "rds-postgresql-enclave", "recovery"}
"""1.5 GB of data; a warm-up of minutes; recoveries, of which each begins with a start."""
SMALL_POOLS = {"percona-pool-5g"}
"""Far smaller than the data, which is what is measured."""
HEAD = "| parameter | the study's | ours | why |"


@dataclass
class Node:
    """A machine of a cluster."""

    size: NodeSize
    held: list[PodRequest] = field(default_factory=lambda: list(DAEMONS))

    def takes(self, pod: PodRequest) -> bool:
        """Whether the scheduler puts the pod here; it is here then."""
        whole, offered = total(*self.held, pod), allocatable(self.size)
        if whole.millicores > offered.millicores or whole.bytes > offered.bytes:
            return False
        self.held.append(pod)
        return True


def outlines(name: str) -> dict[str, Outline]:
    return planned(FULL[name])


def readme(name: str) -> str:
    return (CAMPAIGNS / name.partition("/")[0] / "README.md").read_text(encoding="utf-8")


def of_one(pods: PodRoom) -> PodRequest:
    return PodRequest(pods.millicores, pods.bytes)


def said(pods: PodRoom | None) -> str:
    return f"{pods.count} × {pods.node_cores} cores and {pods.node_gibibytes} GiB" if pods else "–"


@pytest.mark.parametrize("name", APPLIED)
def test_it_is_accepted_and_planned(name: str) -> None:
    assert problems_of(CAMPAIGNS / name) == []
    for outline in planned(CAMPAIGNS / name).values():
        assert outline.cells
        assert outline.trials.least > 0


@pytest.mark.parametrize("campaign", FOLDERS)
def test_every_file_is_applied(campaign: str) -> None:
    """By a folder that people apply, but for what they read."""
    folder = CAMPAIGNS / campaign
    ours = [CAMPAIGNS / name for name in APPLIED if name.partition("/")[0] == campaign]
    applied = set().union(*map(kustomize.files, ours))
    there = {file for file in folder.rglob("*") if file.is_file() and file.suffix != ".md"}
    assert applied == there, f"one and not the other: {applied ^ there}"


@pytest.mark.parametrize("name", FULL)
def test_its_trials_and_hours_are_said(name: str) -> None:
    text = readme(name)
    for outline in outlines(name).values():
        assert f"{outline.trials.least:,} trials" in text
        assert f"**{outline.time.least_seconds / 3600:.0f} hours**" in text


@pytest.mark.parametrize("name", APPLIED)
def test_no_script_measures_what_another_has_taken_away(name: str) -> None:
    """A block runs the conditions of a cell in the order of the plan, on the same tables."""
    workloads = all_of(parsed(CAMPAIGNS / name), "Workload")
    for outline in planned(CAMPAIGNS / name).values():
        for cell in outline.cells:
            tests = [workloads[one.workload].sysbench for one in cell.conditions]
            changes = [CHANGES.get(test.script, 0) for test in tests if test is not None]
            assert changes == sorted(changes)


def test_deletes_find_rows_to_delete() -> None:
    """The usual distribution draws most ids from one row in a hundred."""
    deletes = [
        one.sysbench
        for name in APPLIED
        for one in all_of(parsed(CAMPAIGNS / name), "Workload").values()
        if one.sysbench is not None and one.sysbench.script == "oltp_delete"
    ]
    assert deletes
    assert all(one.options["rand-type"] == "uniform" for one in deletes)


@pytest.mark.parametrize("name", ["rds-mysql-confidential", "rds-mysql-tde"])
def test_no_script_prepares_its_statements(name: str) -> None:
    """As the README says. oltp_insert has none that it could prepare."""
    for workload in all_of(parsed(CAMPAIGNS / name), "Workload").values():
        assert workload.sysbench.script == "oltp_insert" or not prepares(workload.sysbench)


@pytest.mark.parametrize("name", STUDIES)
def test_no_warm_up_has_to_fill_a_large_pool(name: str) -> None:
    """A server that starts reads its pages back, unless a warm-up reads all that there is."""
    specs = parsed(FULL[name])
    started = {
        instance
        for spec in all_of(specs, "Campaign").values()
        if started_anew(spec.reset, spec.residency, spec.cache) != "none"
        for entry in spec.matrix
        for instance in entry.instance_refs
    }
    templates = all_of(specs, "InstanceTemplate")
    read_back = {one for one in started if READ_BACK.items() <= templates[one].settings.items()}
    assert started, "each study starts its servers anew"
    assert bool(started - read_back - SMALL_POOLS) == (name in FILLED_BY_WARM_UP)


@pytest.mark.parametrize("name", STUDIES)
def test_its_nodes_and_disks_are_said(name: str) -> None:
    text = readme(name)
    for outline in outlines(name).values():
        for cell in outline.cells:
            room = cell.room
            disk = f"{room.volumes} × {room.volume_size}"
            row = f"| {cell.instance} | {said(room.databases)} | {said(room.clients)} | {disk} |"
            assert row in text


@pytest.mark.parametrize("name", EXTERNAL)
def test_an_external_form_needs_the_same_clients(name: str) -> None:
    rooms = [cell.room for outline in outlines(name).values() for cell in outline.cells]
    assert all(room.databases is None and room.volumes == 0 for room in rooms)
    assert all(f"| {said(room.clients)} |" in readme(name) for room in rooms)


@pytest.mark.parametrize("name", FULL)
def test_nodes_of_that_size_hold_the_pods(name: str) -> None:
    for room in [cell.room for outline in outlines(name).values() for cell in outline.cells]:
        for pods in [pods for pods in (room.databases, room.clients) if pods]:
            size, pod = NodeSize(pods.node_cores, pods.node_gibibytes), of_one(pods)
            nodes = [Node(size) for _ in range(pods.count)]
            assert all(node.takes(pod) for node in nodes)


@pytest.mark.parametrize("name", STUDIES)
def test_nodes_of_the_bare_size_would_not(name: str) -> None:
    """A server of 8 cores does not fit a machine of 8 cores."""
    specs = parsed(FULL[name])
    for outline in outlines(name).values():
        for cell in outline.cells:
            own = all_of(specs, "InstanceTemplate")[cell.instance].resources
            bare = NodeSize(round(own.cores), round(own.memory_bytes / 2**30))
            assert cell.room.databases is not None
            assert not Node(bare).takes(of_one(cell.room.databases))


@pytest.mark.parametrize("name", STUDIES)
def test_what_the_study_does_not_state_is_called_our_choice(name: str) -> None:
    """Each row of the table has four cells, and names the reason of each departure."""
    text = readme(name).replace("the reader's wish", "the study's")
    lines = text[text.index(HEAD) :].splitlines()
    rows = lines[2 : lines.index("")]
    assert len(rows) >= 4
    for row in rows:
        _, study, ours, why = [cell.strip() for cell in row.split("|")[1:-1]]
        assert why or ours.startswith("the same"), row
        if "not stated" in study:
            assert "our choice" in why, row


@pytest.mark.parametrize("name", ["rds-mysql-tde", "polardbx-confidential"])
def test_an_overlay_names_the_images_of_another_registry(name: str, tmp_path: Path) -> None:
    """The one that campaigns/README.md gives."""
    text = (CAMPAIGNS / "README.md").read_text(encoding="utf-8")
    (overlay,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    content = overlay.replace("../rds-mysql-tde", str(CAMPAIGNS / name))
    (tmp_path / "kustomization.yaml").write_text(content, encoding="utf-8")
    images = {one.client.image for one in all_of(parsed(tmp_path), "Workload").values()}
    assert images == {"registry.example.com/mine/sysbench:1.0.20"}


def test_all_but_one_run_with_the_installation_s_images() -> None:
    """As campaigns/README.md says, so that a registry of the user's own is enough."""
    with_own = {
        name
        for name in APPLIED
        for specs in [parsed(CAMPAIGNS / name)]
        if any(one.image for one in all_of(specs, "InstanceTemplate").values())
        or any(one.client.image for one in all_of(specs, "Workload").values())
    }
    assert with_own == {"percona-decryption/small"}
    assert all(name in (CAMPAIGNS / "README.md").read_text(encoding="utf-8") for name in with_own)


def test_every_campaign_is_in_the_list() -> None:
    text = (CAMPAIGNS / "README.md").read_text(encoding="utf-8")
    assert set(FOLDERS) == set(re.findall(r"^\| \[([\w-]+)\]\(\1\)", text, re.MULTILINE))
