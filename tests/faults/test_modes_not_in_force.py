"""Each mode of each engine, silently not what it says: its trials are Invalid and give no number.

`tests/contract` breaks modes in more ways, on servers alone; here one way of each goes from the
cluster to the report. What is broken is what a wrong edit breaks: the server's files before its
first start, or its settings while a trial runs.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

from encbench.core.certificates import CERTIFICATE, KEY
from encbench.engines.layout import LOWER, VOLUME
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended, trials
from tests.e2e.engines import ENGINES
from tests.faults.breaking import (
    PLACEMENT,
    appended,
    as_owner,
    as_root,
    bed_of,
    beside_the_mount,
    edit_file,
    edit_init_sql,
    edit_pod,
    gate,
    in_server,
    reload_postgresql,
    replaced,
)
from tests.support import certified
from tests.support.install import NAMESPACE, is_own, privileged_volumes
from tests.support.kube import Kube, wait_for

# In `make test` test_mode_not_in_force stands for all of them, and tests/contract breaks each.
pytestmark = pytest.mark.full

Break = Callable[[Kube, str], None]
"""Breaks the mode of the testbed of that name."""

GOCRYPTFS = {"cipher": "AES-GCM", "resources": {"cpu": "200m", "memory": "96Mi"}}
MODES: dict[str, dict[str, Any]] = {
    "plaintext": {},
    "tde": {"atRest": {"method": "engine"}},
    "tls": {"inTransit": {}},
    "gocryptfs": {"atRest": {"method": "volume", "volume": {"gocryptfs": GOCRYPTFS}}},
    "enclave": {
        "columns": {"method": "enclave", "list": ["sbtest.c", "sbtest.pad"], "enclave": {}}
    },
}


@dataclass(frozen=True)
class Case:
    """One way in which a mode is not in force."""

    engine: str
    mode: str
    told: str
    """What the trial's message must name."""
    break_it: Break

    @property
    def treatment(self) -> str:
        """The mode that is compared with plaintext; a broken plaintext breaks its baseline."""
        return "tls" if self.mode == "plaintext" else self.mode


def file(entry: str, *edits: Callable[[str], str]) -> Break:
    """A break by one file of the server's configuration."""

    def break_it(kube: Kube, testbed: str) -> None:
        for edit in edits:
            edit_file(kube, testbed, entry, edit)

    return break_it


def _encrypt_unasked(kube: Kube, testbed: str) -> None:
    """A baseline that encrypts, with a key that was left beside the option file."""
    edit_file(kube, testbed, "keyfile", lambda _: f"1;{'0f' * 32}\n")
    more = (
        "plugin_load_add=file_key_management\n"
        "file_key_management_filename=/etc/encbench/server/keyfile\n"
        "innodb_encrypt_tables=ON\n"
        "innodb_encrypt_log=ON\n"
    )
    edit_file(kube, testbed, "server.cnf", appended(more))


def _decrypt_tables(kube: Kube, testbed: str) -> None:
    """A database that the init file makes does not follow default_table_encryption."""
    edit_init_sql(kube, testbed, replaced(" DEFAULT ENCRYPTION='Y'", ""))


def _pass_through(kube: Kube, testbed: str) -> None:
    """A file system of the same make, without its cipher, under the cipher's name."""

    def edit(spec: dict[str, Any]) -> None:
        (sidecar,) = [c for c in spec["initContainers"] if c["name"] == "volume"]
        assert sidecar["command"][1:4] == ["AES-GCM", LOWER, VOLUME]
        sidecar["command"] = [sidecar["command"][0], "none", LOWER, VOLUME]

    edit_pod(kube, testbed, edit)


def _beside_the_mount(kube: Kube, testbed: str) -> None:
    """The disk itself where the file system on it was mounted."""
    edit_pod(kube, testbed, beside_the_mount)


def _add_extension(kube: Kube, testbed: str) -> None:
    """Encrypted column types where none were asked for."""
    made = "CREATE EXTENSION encbench_enclave;\n\nCREATE DATABASE"
    edit_init_sql(kube, testbed, replaced("CREATE DATABASE", made))


def _other_key(kube: Kube, testbed: str) -> None:
    """A key of its own for the server, from the files of its configuration."""
    edit_file(kube, testbed, "other", lambda _: f"{'0f' * 16}\n")
    path = replaced("/etc/encbench/mek/mek", "/etc/encbench/server/other")
    edit_file(kube, testbed, "postgresql.conf", path)


# The first is what nothing but a client's own session can show: PostgreSQL has no setting for it.
BEFORE_START: dict[str, Case] = {
    "postgresql-tls-suite": Case(
        "postgresql",
        "tls",
        "TLS_AES_256_GCM_SHA384",
        file("openssl.cnf", replaced("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384")),
    ),
    "postgresql-tls-not-asked-for": Case(
        "postgresql",
        "tls",
        "rules of access that do without TLS",
        file("pg_hba.conf", replaced("hostssl", "host")),
    ),
    "postgresql-volume": Case("postgresql", "gocryptfs", "fuse.gocryptfs", _beside_the_mount),
    "postgresql-enclave-another-key": Case(
        "postgresql", "enclave", "statements over encrypted values", _other_key
    ),
    "postgresql-enclave-boundary-off": Case(
        "postgresql",
        "enclave",
        "cost of a transition, as the server has it",
        file("postgresql.conf", replaced("transition_ns = '8000'", "transition_ns = '0'")),
    ),
    "postgresql-plaintext-with-the-extension": Case(
        "postgresql", "plaintext", "encrypted column types, and their extension", _add_extension
    ),
    "mysql-plaintext": Case(
        "mysql",
        "plaintext",
        "TLS of the server",
        file(
            "server.cnf",
            replaced("tls_version=\n", ""),
            replaced("auto_generate_certs=OFF", "auto_generate_certs=ON"),
        ),
    ),
    "mysql-tde-tables": Case("mysql", "tde", "tablespaces in plaintext", _decrypt_tables),
    "mysql-tde-redo": Case(
        "mysql",
        "tde",
        "innodb_redo_log_encrypt",
        file("server.cnf", replaced("innodb_redo_log_encrypt=ON", "innodb_redo_log_encrypt=OFF")),
    ),
    "mysql-tde-binlog": Case(
        "mysql",
        "tde",
        "binary logs in plaintext",
        file("server.cnf", replaced("binlog_encryption=ON", "binlog_encryption=OFF")),
    ),
    "mysql-tls-suite": Case(
        "mysql",
        "tls",
        "tls_ciphersuites",
        file(
            "server.cnf",
            replaced("=TLS_AES_128_GCM_SHA256", "=TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256"),
        ),
    ),
    "mysql-volume": Case("mysql", "gocryptfs", "fuse.passthrough", _pass_through),
    "mariadb-plaintext": Case("mariadb", "plaintext", "innodb_encrypt_tables", _encrypt_unasked),
    "mariadb-tde-binlog": Case(
        "mariadb",
        "tde",
        "encrypt_binlog",
        file("server.cnf", replaced("encrypt_binlog=ON", "encrypt_binlog=OFF")),
    ),
    "mariadb-tls-suite": Case(
        "mariadb",
        "tls",
        "ssl_cipher",
        file("server.cnf", replaced("ssl_cipher=TLS_AES_128_GCM_SHA256\n", "")),
    ),
}


def _certify(kube: Kube, testbed: str) -> None:
    """TLS where none was promised: libpq takes it wherever it is offered."""
    entries = certified.server_files(f"{VOLUME}/data", certified.issued((testbed,)))
    for name in (CERTIFICATE, KEY):
        path = f"{VOLUME}/data/{name}"
        in_server(kube, testbed, f"umask 077; cat >{path}", stdin=entries[path])
    files = (f"ssl_cert_file = {CERTIFICATE}", f"ssl_key_file = {KEY}")
    reload_postgresql(kube, testbed, *(_quoted(line) for line in files), "ssl = on")


def _quoted(line: str) -> str:
    name, value = line.split(" = ")
    return f"{name} = '{value}'"


WHILE_RUNNING: dict[str, Case] = {
    "postgresql-plaintext": Case("postgresql", "plaintext", "ssl: expected off", _certify),
    "postgresql-tls": Case(
        "postgresql",
        "tls",
        "ssl: expected on",
        lambda kube, testbed: reload_postgresql(kube, testbed, "ssl = off"),
    ),
    "postgresql-enclave-plain-column": Case(
        "postgresql",
        "enclave",
        "sbtest2.pad is character(60) instead of enc_text",
        lambda kube, testbed: as_owner(
            kube,
            testbed,
            "ALTER TABLE sbtest2 RENAME pad TO kept",
            "ALTER TABLE sbtest2 ADD pad char(60)",
        ),
    ),
    "postgresql-enclave-missing-index": Case(
        "postgresql",
        "enclave",
        "sbtest1.id has none",
        lambda kube, testbed: as_owner(
            kube, testbed, "ALTER TABLE sbtest1 DROP CONSTRAINT sbtest1_pkey"
        ),
    ),
    "mariadb-tls": Case(
        "mariadb",
        "tls",
        "require_secure_transport",
        lambda kube, testbed: as_root(kube, testbed, "SET GLOBAL require_secure_transport=OFF"),
    ),
}


@pytest.fixture
def campaign(
    request: pytest.FixtureRequest, installed: Kube
) -> Iterator[tuple[Case, dict[str, Any]]]:
    """The case's campaign, not applied, with all that it names; its volumes are allowed to be."""
    cases = {**BEFORE_START, **WHILE_RUNNING}
    case, name = cases[request.param], f"broken-{request.param}"
    waits = {"placement": PLACEMENT} if request.param in BEFORE_START else {}
    instance = manifests.instance(name, **ENGINES[case.engine].fields, **waits)
    modes = [manifests.mode(mode, **MODES[mode]) for mode in {"plaintext", case.treatment}]
    script = "enclave_point" if case.mode == "enclave" else "oltp_read_write"
    workload = manifests.workload("broken", load={"duration": "15s"}, sysbench={"script": script})
    made = manifests.campaign(name, [case.treatment], blocks={"min": 1, "maxReplacements": 0})
    made["spec"]["matrix"][0] |= {"instanceRefs": [name], "workloadRefs": ["broken"]}
    with privileged_volumes(installed) if case.mode == "gocryptfs" else nullcontext():
        installed.apply(instance, workload, *modes)
        yield case, made
        delete_campaign(installed, name)


@pytest.mark.parametrize("campaign", BEFORE_START, indirect=True)
def test_a_server_that_starts_otherwise_than_its_mode_says(
    installed: Kube, campaign: tuple[Case, dict[str, Any]]
) -> None:
    case, body = campaign
    name = body["metadata"]["name"]
    with gate(installed) as opened:
        installed.apply(body)
        case.break_it(installed, bed_of(installed, name, case.mode))
        opened()
        wait_for("the end of the campaign", lambda: ended(installed, name), 600)
    assert_no_number(installed, name, case)


@pytest.mark.parametrize("campaign", WHILE_RUNNING, indirect=True)
def test_a_mode_that_ends_while_its_trial_runs(
    installed: Kube, campaign: tuple[Case, dict[str, Any]]
) -> None:
    case, body = campaign
    name = body["metadata"]["name"]
    if case.engine == "mariadb" and not is_own():
        pytest.skip("MariaDB's root must be of the machine that the volume is on")
    installed.apply(body)
    trial = wait_for(
        "the trial to run", lambda: running_trial(installed, name, case.mode), 400, 0.3
    )
    case.break_it(installed, trial["spec"]["testbedRef"]["name"])
    wait_for("the end of the campaign", lambda: ended(installed, name), 400)
    (own,) = assert_no_number(installed, name, case)
    facts = conditions(own)
    assert facts["ProvenBefore"]["status"] == "True", "it was right until then"
    assert facts["ProvenAfter"]["reason"] == "ModeNotInForce"


def running_trial(kube: Kube, campaign: str, arm: str) -> dict[str, Any] | None:
    """The arm's trial while its tool runs."""
    for trial in trials(kube, campaign):
        facts = conditions(trial)
        if trial["spec"]["arm"]["name"] == arm and "Measured" not in facts:
            return trial if facts.get("Released", {}).get("status") == "True" else None
    return None


def assert_no_number(kube: Kube, name: str, case: Case) -> list[dict[str, Any]]:
    """The broken arm's trials, each Invalid for the reason that the case tells; and no figure."""
    campaign = kube.get("campaign", name, NAMESPACE)
    assert campaign is not None
    assert conditions(campaign)["Failed"]["reason"] == "TooManyInvalidTrials", campaign["status"]
    found = trials(kube, name)
    broken = [trial for trial in found if trial["spec"]["arm"]["name"] == case.mode]
    assert broken
    for trial in broken:
        status = trial["status"]
        assert (status["outcome"], status["reason"]) == ("Invalid", "ProofFailed"), status
        assert case.told in status["message"]
    others = [trial for trial in found if trial not in broken]
    assert "ProofFailed" not in {trial["status"].get("reason") for trial in others}
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None
    for row in report["status"]["rows"]:
        assert "overhead" not in row
        assert row["blocks"] == 0
    assert "ProofFailed" in {entry["reason"] for entry in report["status"]["invalid"]}
    return broken
