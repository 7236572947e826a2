"""Datasets, and the rows that are drawn, that fit into memory."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.workload import Sysbench, WorkloadSpec
from encbench.core.evidence import DiskFacts, MachineFacts, ProvenanceRecord, ServerFacts
from encbench.core.records import IndexTestbed
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats import Facts, memory
from encbench.report.document import Report
from tests.data.report.golden import report_of
from tests.support.testbeds import ENCLAVE, ENCRYPTED_CLASS, GOCRYPTFS, TDE, TLS
from tests.support.workloads import CUSTOM, tpcc_spec, workload_spec
from tests.unit.report.analysis.caveats.studies import CALM, titles


def test_a_dataset_is_compared_with_the_pool_of_its_own_instance() -> None:
    """Of two workloads and two instances only some fit."""
    study = replace(
        CALM, instances=("small", "large"), workloads=("oltp-read-only", "oltp-read-write")
    )
    found = report_of(study)
    many = found.resolved.workloads["oltp-read-write"]
    test = many.sysbench_test.model_copy(update={"table_size": 2_500_000})
    many = many.model_copy(update={"sysbench": test})
    workloads = found.resolved.workloads | {"oltp-read-write": many}
    resolved = found.resolved.model_copy(update={"workloads": workloads})

    def said(small: int, large: int) -> str:
        pools = {"small": small, "large": large}
        sources = [source(found, name, pool << 20) for name, pool in pools.items()]
        facts = Facts(
            found.spec, resolved, found.groups, found.trials, (), found.provenance, sources
        )
        return " ".join(
            caveat.text.partition(". ")[0] for caveat in memory.dataset_in_memory(facts)
        )

    assert said(1024, 4096) == (
        "oltp-read-only: about 229 MiB of rows in a buffer pool of 1,024 MiB; oltp-read-write on "
        "large: about 2,289 MiB of rows in a buffer pool of 4,096 MiB"
    )
    assert said(128, 1024) == (
        "oltp-read-only on large: about 229 MiB of rows in a buffer pool of 1,024 MiB"
    )
    assert said(128, 128) == ""


@pytest.mark.parametrize("pools", [(128, 1024), (1024, 128)])
def test_a_dataset_has_to_fit_into_the_smallest_pool_of_an_instance(pools: tuple[int, int]) -> None:
    """As where settings changed between two sets of testbeds; 229 MiB of rows."""
    found = report_of(CALM)
    sources = [source(found, "small", pool << 20) for pool in pools]
    facts = Facts(
        found.spec, found.resolved, found.groups, found.trials, (), found.provenance, sources
    )
    assert not [*memory.dataset_in_memory(facts)]


def facts_with(report: Report, workload: WorkloadSpec, settings: dict[str, str]) -> Facts:
    """The report's, with that workload and the server's settings."""
    workloads = {**report.resolved.workloads, "oltp-read-write": workload}
    return Facts(
        report.spec,
        report.resolved.model_copy(update={"workloads": workloads}),
        report.groups,
        report.trials,
        (),
        report.provenance,
        [with_settings(report, "small", settings)],
    )


def dataset_note(settings: dict[str, str], workload: WorkloadSpec | None = None) -> str:
    """What is said of a dataset of 229 MiB on a server with these settings."""
    found = report_of(CALM)
    workload = workload or found.resolved.workloads["oltp-read-write"]
    facts = facts_with(found, workload, settings)
    return " ".join(caveat.text for caveat in memory.dataset_in_memory(facts))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (TLS, False),
        ({"columns": {"method": "confidential", "ratio": 100}}, False),
        ({"atRest": {"method": "engine"}}, True),
    ],
)
def test_pages_are_decrypted_only_where_a_mode_encrypts_at_rest(
    mode: dict[str, Any], said: bool
) -> None:
    study = replace(CALM, blocks=2, modes={"tde": mode})
    assert ("The dataset fits into memory" in titles(study)) is said


def test_a_script_of_the_users_own_has_rows_of_unknown_size() -> None:
    large = {"innodb_buffer_pool_size": str(4 << 30)}
    assert "about 229 MiB of rows in a buffer pool of 4,096 MiB" in dataset_note(large)
    assert dataset_note(large, workload_spec({**CUSTOM, "tables": 1})) == ""


def test_postgresql_has_a_pool_as_well() -> None:
    assert "rows in a buffer pool of 256 MiB" in dataset_note({"shared_buffers": "256MB"})
    assert dataset_note({"shared_buffers": "128MB"}) == ""


@pytest.mark.parametrize(
    ("engine", "own", "mode", "size", "said"),
    [
        ("postgresql", {}, ENCRYPTED_CLASS, "287Mi", True),
        ("postgresql", {}, GOCRYPTFS, "287Mi", True),
        ("postgresql", {}, ENCRYPTED_CLASS, "286Mi", False),
        ("postgresql", {}, TDE, "64Gi", False),
        ("mariadb", {}, ENCRYPTED_CLASS, "64Gi", False),
        ("mariadb", {"innodb_flush_method": "O_DIRECT"}, ENCRYPTED_CLASS, "64Gi", False),
        ("mysql", {"innodb_flush_method": "O_DIRECT_NO_FSYNC"}, ENCRYPTED_CLASS, "64Gi", False),
        ("mysql", {"innodb_flush_method": "ALL_O_DIRECT"}, ENCRYPTED_CLASS, "64Gi", False),
        ("mariadb", {"innodb_flush_method": "fsync"}, ENCRYPTED_CLASS, "287Mi", True),
        ("mysql", {"innodb_flush_method": "O_DSYNC"}, GOCRYPTFS, "287Mi", True),
        ("mysql", {"innodb_flush_method": "fsync"}, TDE, "64Gi", False),
        ("mariadb", {"innodb_data_file_buffering": "ON"}, ENCRYPTED_CLASS, "287Mi", True),
        ("mariadb", {"innodb_data_file_buffering": "OFF"}, ENCRYPTED_CLASS, "287Mi", False),
    ],
)
def test_a_page_cache_holds_what_a_volume_has_decrypted(
    engine: str, own: dict[str, str], mode: dict[str, Any], size: str, said: bool
) -> None:
    """229 MiB of rows, and a pool of 128 MiB."""
    found = report_of(replace(CALM, blocks=2))
    small = found.resolved.instances["small"]
    assert small.resources is not None
    resources = small.resources.model_copy(update={"memory": size})
    changes = {"engine": engine, "resources": resources}
    resolved = found.resolved.model_copy(
        update={
            "instances": {"small": small.model_copy(update=changes)},
            "modes": found.resolved.modes | {"tde": EncryptionModeSpec.model_validate(mode)},
        }
    )
    sources = [with_settings(found, "small", {"shared_buffers": "128MB", **own})]
    facts = Facts(found.spec, resolved, found.groups, found.trials, (), found.provenance, sources)
    texts = [caveat.text for caveat in memory.dataset_in_memory(facts)]
    start = "oltp-read-write: about 229 MiB of rows may be in a page cache of 230 MiB. Pages are"
    assert [one.startswith(start) for one in texts] == [True] * said
    assert bool([*memory.drawn_rows_in_memory(facts)]) != said, "of rows that fit as a whole"


@pytest.mark.parametrize("by_file", [True, None])
def test_a_file_system_that_encrypts_by_file_may_ignore_o_direct(by_file: bool | None) -> None:
    found = report_of(replace(CALM, blocks=2, modes={"tde": ENCRYPTED_CLASS}))
    sources = [with_settings(found, "small", {"innodb_flush_method": "O_DIRECT"})]
    disk = DiskFacts(provisioner="rbd.csi.ceph.com", by_file=by_file)
    (cell,) = {group.cell for group in found.groups}
    facts = Facts(
        *(found.spec, found.resolved, found.groups, found.trials, (), found.provenance, sources),
        testbeds=[IndexTestbed(name="bed", cell=cell, arm="tde", disk=disk)],
    )
    texts = [caveat.text for caveat in memory.dataset_in_memory(facts)]
    assert ["may be in a page cache of" in one for one in texts] == [True] * bool(by_file)


@pytest.mark.parametrize(("mode", "size"), [({}, 229), (ENCLAVE, 355)])
def test_encrypted_types_take_more(mode: dict[str, Any], size: int) -> None:
    found = report_of(replace(CALM, blocks=2))
    facts = facts_with(
        found,
        workload_spec({"script": "enclave_point", "tables": 1, "tableSize": 1_000_000}),
        {"shared_buffers": "1GB"},
    )
    own = EncryptionModeSpec.model_validate({**mode, **ENCRYPTED_CLASS})
    resolved = facts.resolved.model_copy(update={"modes": {**found.resolved.modes, "tde": own}})
    (caveat,) = memory.dataset_in_memory(replace(facts, resolved=resolved))
    assert f"about {size} MiB of rows in a buffer pool" in caveat.text


VOLUME_AND_TYPES = {**ENCRYPTED_CLASS, **ENCLAVE}


@pytest.mark.parametrize(
    ("types_on", "pool", "said"),
    [
        ("small", "300MB", ["oltp-read-write under tde: about 229 MiB of rows in a buffer pool"]),
        ("large", "300MB", ["oltp-read-write on small: about 229 MiB of rows in a buffer pool"]),
        (
            "small",
            "400MB",
            [
                "oltp-read-write under tde: about 229 MiB of rows in a buffer pool",
                "oltp-read-write under types: about 355 MiB of rows in a buffer pool",
            ],
        ),
        (
            "large",
            "400MB",
            [
                "oltp-read-write on small: about 229 MiB of rows in a buffer pool",
                "oltp-read-write on large: about 355 MiB of rows in a buffer pool",
            ],
        ),
        ("small", "200MB", []),
    ],
)
def test_each_mode_s_rows_fit_or_not(types_on: str, pool: str, said: list[str]) -> None:
    """A plain baseline and an encrypted volume, and one with encrypted types beside it."""
    found = report_of(replace(CALM, blocks=2, instances=("small", "large")))
    groups = []
    for group in found.groups:
        baseline, volume = (a for a in group.arms if a.role != "control")
        types = volume.model_copy(update={"name": "types", "mode_ref": "types"})
        here = [volume] * (group.instance == "small") + [types] * (group.instance == types_on)
        groups.append(group.model_copy(update={"arms": (baseline, *here)}))
    modes = {"tde": ENCRYPTED_CLASS, "types": VOLUME_AND_TYPES}
    specs = {name: EncryptionModeSpec.model_validate(mode) for name, mode in modes.items()}
    test = {"script": "enclave_point", "tables": 1, "tableSize": 1_000_000}
    resolved = found.resolved.model_copy(
        update={
            "modes": {**found.resolved.modes, **specs},
            "workloads": {"oltp-read-write": workload_spec(test)},
        }
    )
    sources = [with_settings(found, name, {"shared_buffers": pool}) for name in ("small", "large")]
    facts = Facts(found.spec, resolved, groups, found.trials, (), found.provenance, sources)
    text = " ".join(caveat.text for caveat in memory.dataset_in_memory(facts))
    parts = text.partition(". ")[0].split("; ") if text else []
    assert [one.rpartition(" of ")[0] for one in parts] == said


@pytest.mark.parametrize(
    ("options", "pool", "said"),
    [
        ({}, "127M", "about 76 of 229 MiB of rows in a buffer pool of 127 MiB. Its rand-type"),
        ({}, "76M", ""),
        ({}, "1G", ""),
        ({"rand-type": "special"}, "127M", "about 76 of 229 MiB"),
        ({"rand_type": "gaussian"}, "96M", "about 95 of 229 MiB"),
        ({"rand-type": "gaussian"}, "95M", ""),
        ({"rand-type": "uniform"}, "228M", ""),
        ({"rand-type": "pareto"}, "228M", ""),
        ({"rand_spec_res": "10"}, "228M", ""),
    ],
)
def test_a_part_of_the_rows_may_be_all_that_is_drawn(
    options: dict[str, str], pool: str, said: str
) -> None:
    texts = drawn_note(pool, {"options": options})
    assert [one.startswith(f"oltp-read-write: {said}") for one in texts] == [True] * bool(said)


@pytest.mark.parametrize("script", ["oltp_insert", "select_random_points"])
def test_rows_that_are_found_by_another_column_lie_in_all_of_the_table(script: str) -> None:
    assert drawn_note("127M", {"script": "oltp_point_select", "tables": 1, "tableSize": 1000000})
    assert not drawn_note("127M", {"script": script, "tables": 1, "tableSize": 1000000})


@pytest.mark.parametrize(
    ("level", "pool", "said"),
    [
        (16, "2G", "about 1,600 of 100,000 MiB of rows in a buffer pool of 2,048 MiB"),
        (32, "2G", ""),
        (16, "1G", ""),
        (1000, "2G", ""),
        (16, "200G", ""),
    ],
)
def test_the_warehouses_that_are_worked_on_may_fit(level: int, pool: str, said: str) -> None:
    found = report_of(replace(CALM, blocks=2))
    workload = tpcc_spec({"warehouses": 1000}, {"concurrency": [level]})
    facts = facts_with(found, workload, {"innodb_buffer_pool_size": pool})
    groups = [group.model_copy(update={"concurrency": level}) for group in facts.groups]
    texts = [it.text for it in memory.worked_on_in_memory(replace(facts, groups=groups))]
    start = f"oltp-read-write at {level} terminals: {said}. The other warehouses"
    assert [one.startswith(start) for one in texts] == [True] * bool(said)


def drawn_note(pool: str, test: dict[str, Any]) -> list[str]:
    """What is said of the drawn part of a dataset of 229 MiB, beside a pool of that size."""
    found = report_of(replace(CALM, blocks=2))
    workload = found.resolved.workloads["oltp-read-write"]
    sysbench = Sysbench.model_validate({**workload.sysbench_test.to_dict(), **test})
    workload = workload.model_copy(update={"sysbench": sysbench})
    facts = facts_with(found, workload, {"innodb_buffer_pool_size": pool})
    return [caveat.text for caveat in memory.drawn_rows_in_memory(facts)]


def source(report: Report, instance: str, pool: int) -> ProvenanceSource:
    """The provenance of an instance's trials."""
    return with_settings(report, instance, {"innodb_buffer_pool_size": str(pool)})


def with_settings(report: Report, instance: str, settings: dict[str, str]) -> ProvenanceSource:
    """The same of a server with these settings."""
    server = ServerFacts(version="1", settings=settings)
    record = ProvenanceRecord(testbed=instance, server=server, machine=MachineFacts())
    uids = {trial.uid for trial in report.trials if trial.instance == instance}
    return ProvenanceSource("key", "digest", record, uids)
