"""The campaigns about encrypted columns: layer by layer, small on two cores."""

import csv
import re

import pytest

from encbench.api.scalars import parse_quantity
from encbench.core.plan import cells
from encbench.database import pod as engine_pod
from encbench.engines.innodb.settings import parse_size
from encbench.report.analysis.steps import arm_steps
from encbench.tools import pod as tool_pod
from tests.support.chart import REPO, Rendered
from tests.unit.chart.campaigns import (
    CAMPAIGNS,
    NODE,
    all_of,
    assert_said,
    infrastructure,
    parsed,
    the,
)

TPCC = CAMPAIGNS / "polardbx-confidential"
SYSBENCH = CAMPAIGNS / "rds-mysql-confidential"
PUBLISHED = REPO / "tests" / "data" / "reference"
DEFAULTS = REPO / "images/tpcc/tpcc/src/main/java/io/encbench/tpcc/database/DriverDefaults.java"
CONNECTOR_J = re.compile(r'"jdbc:mysql:",\s+Map.of\((.*?)\)', re.DOTALL)
ROW = 250
"""Bytes that a row of sysbench takes in a table and its index, about."""
BINARY_LOG = 30e9
"""Bytes that a block's six trials with writes put there at most: 50 MB a second for 90 s each."""
OVERLAYS = {
    "tpcc": TPCC,
    "tpcc-external": TPCC / "external",
    "tpcc-small": TPCC / "small",
    "tpcc-small-mysql": TPCC / "small-mysql",
    "sysbench": SYSBENCH,
    "sysbench-small": SYSBENCH / "small",
}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("tpcc", "hop driver encryption encryption encryption encryption encryption encryption"),
        (
            "tpcc-small",
            "hop driver encryption encryption encryption encryption encryption encryption",
        ),
        (
            "tpcc-small-mysql",
            "hop driver encryption encryption encryption encryption encryption encryption",
        ),
        ("sysbench", "hop encryption encryption"),
        ("sysbench-small", "hop encryption encryption"),
    ],
)
def test_each_step_is_of_one_layer(name: str, wanted: str) -> None:
    specs = parsed(OVERLAYS[name])
    campaign = the(specs, "Campaign")
    for cell in cells(campaign, all_of(specs, "Workload")):
        found = arm_steps(cell.arms, all_of(specs, "EncryptionMode"))
        assert all(len(step.layers) == 1 for step in found)
        assert sorted(step.layers[0] for step in found) == sorted(wanted.split())


def test_the_external_driver_is_a_step_of_its_own() -> None:
    specs = parsed(OVERLAYS["tpcc-external"])
    campaign = specs["Campaign", "polardbx-confidential-external"]
    (first, *_) = cells(campaign, all_of(specs, "Workload"))
    (step,) = arm_steps(first.arms, all_of(specs, "EncryptionMode"))
    assert step.layers == ("driver",)
    names = [f"polardbx-confidential-external{share}" for share in ("", "-20", "-50", "-100")]
    assert sorted(all_of(specs, "Campaign")) == sorted(names)


@pytest.mark.parametrize("name", ["tpcc", "tpcc-external", "tpcc-small", "tpcc-small-mysql"])
def test_every_form_sends_benchmarksql_s_statements(name: str) -> None:
    workloads = all_of(parsed(OVERLAYS[name]), "Workload").values()
    assert {workload.tpcc.statements for workload in workloads} == {"benchmarksql"}


@pytest.mark.parametrize("name", ["tpcc", "tpcc-external"])
def test_the_published_load_of_tpcc(name: str) -> None:
    workload = parsed(OVERLAYS[name])["Workload", "tpcc-confidential"]
    assert workload.tpcc.warehouses == 1000
    assert workload.load.concurrency == [64, 128, 256, 512, 1024]
    assert workload.load.duration_seconds == 300


@pytest.mark.parametrize(
    ("users", "table"), [("", "client_cpu"), ("-100", "client_cpu"), ("-20", "ratio")]
)
def test_every_size_of_the_published_tables(users: str, table: str) -> None:
    """With the terminal counts at which the study has them."""
    specs = parsed(OVERLAYS["tpcc-external"])
    with (PUBLISHED / f"polardbx_{table}.csv").open(encoding="utf-8") as file:
        wanted = {(row["instance"], int(row["concurrency"])) for row in csv.DictReader(file)}
    campaign = specs["Campaign", f"polardbx-confidential-external{users}"]
    planned = {
        (cell.instance_ref.removeprefix("polardbx-").removesuffix(users), one.concurrency)
        for cell in cells(campaign, all_of(specs, "Workload"))
        for one in cell.conditions
    }
    assert wanted <= planned
    assert {size for size, _ in planned} == {size for size, _ in wanted}


def test_both_workloads_of_the_external_form_load_the_same_data() -> None:
    one, other = all_of(parsed(OVERLAYS["tpcc-external"]), "Workload").values()
    assert (one.tpcc, one.client) == (other.tpcc, other.client)


def test_the_arms_with_a_jar_have_the_parameters_of_the_plain_one() -> None:
    """A driver of the user's own gets nothing from our client, which gives Connector/J a lot."""
    specs = parsed(OVERLAYS["tpcc-external"])
    (table,) = CONNECTOR_J.findall(DEFAULTS.read_text(encoding="utf-8"))
    given = re.findall(r'"(\w+)", "(\w+)"', table)
    ours = {**dict(given), **specs["Workload", "tpcc-confidential"].tpcc.url_parameters}
    for name, algorithm in (("encjdbc", "SM4_128_GCM"), ("encjdbc-aes", "AES_128_GCM")):
        template = specs["EncryptionMode", name].driver.jar.url_template
        query = dict(pair.split("=") for pair in template.partition("?")[2].split("&"))
        own = {"MEK": "{mek}", "ENC_ALGO": algorithm}
        plain = {"useSSL": "false", "allowPublicKeyRetrieval": "true"}
        assert query == {**own, **plain, **ours}


@pytest.mark.parametrize("name", ["tpcc", "tpcc-small", "tpcc-small-mysql"])
def test_every_share_is_measured_with_both_ciphers(name: str) -> None:
    specs = parsed(OVERLAYS[name])
    (entry,) = the(specs, "Campaign").matrix
    columns = [specs["EncryptionMode", ref].columns for ref in entry.mode_refs]
    found = {(one.algorithm, one.ratio) for one in columns if one and one.ratio}
    algorithms = ("AES_128_GCM", "SM4_128_GCM")
    assert found == {(algorithm, ratio) for algorithm in algorithms for ratio in (20, 50, 100)}


def test_the_published_load_of_sysbench() -> None:
    specs = parsed(OVERLAYS["sysbench"])
    workloads = all_of(specs, "Workload")
    scripts = {one.sysbench.script for one in workloads.values()}
    assert scripts == {"oltp_read_only", "oltp_read_write", "oltp_write_only"}
    for one in workloads.values():
        assert (one.sysbench.tables, one.sysbench.table_size) == (250, 25_000)
        assert one.load.concurrency == [64, 128, 256]
    versions = [one.version for one in all_of(specs, "InstanceTemplate").values()]
    assert versions == ["5.7", "8.0"]


def test_no_writer_of_sysbench_waits_for_a_small_log() -> None:
    """As long a log as in the sister campaign, on a disk that holds it and a block's binary log."""
    specs = parsed(SYSBENCH)
    workload = next(iter(all_of(specs, "Workload").values())).sysbench
    sister = parsed(CAMPAIGNS / "rds-mysql-tde")["InstanceTemplate", "mysql-8c32g"].settings
    for instance in all_of(specs, "InstanceTemplate").values():
        own = instance.settings
        assert _log(own) == _log(sister)
        capacity = ("innodb_io_capacity", "innodb_io_capacity_max")
        assert [own[name] for name in capacity] == [sister[name] for name in capacity]
        data = ROW * workload.tables * workload.table_size
        live = data + _log(own) + BINARY_LOG
        copied = 2 * data + _log(own)
        assert parse_quantity(instance.storage.size) > live + copied


def _log(settings: dict[str, str]) -> int:
    """Bytes of the redo log."""
    if "innodb_redo_log_capacity" in settings:
        return parse_size(settings["innodb_redo_log_capacity"]) or 0
    one = parse_size(settings["innodb_log_file_size"]) or 0
    return one * int(settings["innodb_log_files_in_group"])


def test_all_of_them_fit_in_one_namespace() -> None:
    campaigns = [own for name in OVERLAYS for own in all_of(parsed(OVERLAYS[name]), "Campaign")]
    assert len(set(campaigns)) == len(campaigns)


@pytest.mark.parametrize("name", ["tpcc-small", "sysbench-small"])
def test_small_fits_two_cores(name: str, default: Rendered) -> None:
    """One database at a time, and two clients, for one ends as the next one starts."""
    specs = parsed(OVERLAYS[name])
    campaign = the(specs, "Campaign")
    assert campaign.residency == "OnDemand"
    instance = the(specs, "InstanceTemplate")
    modes = all_of(specs, "EncryptionMode").values()
    proxy = max(mode.columns.resources.cores for mode in modes if mode.columns)
    database = instance.resources.cores + proxy + parse_quantity(engine_pod.AGENT_CPU)
    client = max(one.client.resources.cores for one in all_of(specs, "Workload").values())
    clients = 2 * (client + parse_quantity(tool_pod.RECORDER_CPU))
    whole = database + clients + infrastructure(default)
    assert whole <= NODE
    assert_said(OVERLAYS[name], whole)
