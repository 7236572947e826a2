"""`kubectl encbench plan` on data that a volume or a deadline does not hold."""

from pathlib import Path
from typing import Any

import pytest

from encbench.api.kinds import ENCRYPTION_MODE
from encbench.cli.main import main
from tests.support.manifests import body
from tests.support.testbeds import ENCLAVE, GOCRYPTFS
from tests.unit.cli.campaigns import OUTSIDE, campaign, everything, written

STORAGE, PROOF = "write storage.size: ", "write stepDeadlines.proof: "


@pytest.mark.parametrize(
    ("rows", "size", "changes", "noted"),
    [
        # 10 GB.
        (42_000_000, "12Gi", {}, set()),
        (42_000_000, "8Gi", {}, {f"{STORAGE}12Gi or more instead of 8Gi"}),
        (42_000_000, "12Gi", {"reset": "block"}, {f"{STORAGE}24Gi or more instead of 12Gi"}),
        (42_000_000, "24Gi", {"reset": "block"}, set()),
        (42_000_000, "12Gi", {"stepDeadlines": {"proof": "59s"}}, {f"{PROOF}4m instead of 59s"}),
        (42_000_000, "12Gi", {"stepDeadlines": {"proof": "100s"}}, set()),
        # A terabyte.
        (4_200_000_000, "2Ti", {}, {f"{PROOF}6h instead of 10m"}),
        (4_200_000_000, "2Ti", {"stepDeadlines": {"proof": "6h"}}, set()),
        (4_200_000_000, "", {}, set()),
    ],
)
def test_data_that_are_too_large_are_noted(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: int,
    size: str,
    changes: dict[str, Any],
    noted: set[str],
) -> None:
    instance, plain, tls, workload, _ = everything()
    tables = max(1, rows // 42_000_000)
    workload["spec"]["sysbench"] |= {"tables": tables, "tableSize": rows // tables}
    if size:
        instance["spec"]["storage"] = {"size": size}
    else:
        instance["spec"] = OUTSIDE
    main(["plan", "-f", written(tmp_path, instance, plain, tls, workload, campaign(**changes))])
    said = " ".join(capsys.readouterr().out.split())
    for advice in noted:
        assert advice in said
    assert sum(said.count(one) for one in (STORAGE, PROOF)) == len(noted), said


def test_through_a_mount_every_file_is_read_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, plain, tls, workload, _ = everything()
    workload["spec"]["sysbench"] |= {"tables": 1, "tableSize": 42_000_000}
    instance["spec"]["storage"] = {"size": "12Gi"}
    plain["spec"]["atRest"] = {"method": "volume", "volume": {"gocryptfs": {}}}
    deadlines = {"proof": "100s"}
    study = campaign(stepDeadlines=deadlines)
    main(["plan", "-f", written(tmp_path, instance, plain, tls, workload, study)])
    assert f"{PROOF}7m instead of 100s" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["plain", "tde"])
def test_encrypted_types_take_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Of the modes that a volume is for, the one whose tables are the largest counts."""
    instance, plain, tde, workload, _ = everything()
    instance["spec"] |= {"engine": "postgresql", "version": "15", "settings": {}}
    instance["spec"]["storage"] = {"size": "12Gi"}
    workload["spec"]["sysbench"] = {"script": "enclave_point", "tables": 1, "tableSize": 42_000_000}
    tde["spec"] = {"columns": {**ENCLAVE["columns"], "ratio": 100}} if name == "tde" else {}
    main(["plan", "-f", written(tmp_path, instance, plain, tde, workload, campaign())])
    said = " ".join(capsys.readouterr().out.split())
    assert (f"{STORAGE}22Gi or more instead of 12Gi" in said) is (name == "tde"), said


@pytest.mark.parametrize(("deadline", "noted"), [("130s", False), ("120s", True)])
def test_a_proof_reads_twice_what_its_own_mode_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deadline: str, noted: bool
) -> None:
    """10 GB through the mount and below it, or 18 GB with encrypted types, once."""
    instance, plain, _, workload, _ = everything()
    instance["spec"] |= {"engine": "postgresql", "version": "15", "settings": {}}
    instance["spec"]["storage"] = {"size": "200Gi"}
    workload["spec"]["sysbench"] = {"script": "enclave_point", "tables": 1, "tableSize": 42_000_000}
    mount, types = (body(ENCRYPTION_MODE, name, "bench") for name in ("mount", "types"))
    mount["spec"] = GOCRYPTFS
    types["spec"] = {"columns": {**ENCLAVE["columns"], "ratio": 100}}
    matrix = [{"instanceRefs": ["small"], "modeRefs": ["mount", "types"], "workloadRefs": ["oltp"]}]
    study = campaign(matrix=matrix, stepDeadlines={"proof": deadline})
    main(["plan", "-f", written(tmp_path, instance, plain, mount, types, workload, study)])
    said = " ".join(capsys.readouterr().out.split())
    assert (f"{PROOF}7m instead of {deadline}" in said) is noted, said
    assert (PROOF in said) is noted, said
