"""A server, an agent and a client in a mode with encrypted types, as the operator makes them.

Each breakage that must not pass is made on the real server, and seen by its proof.
"""

import base64
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.enclavecipher import seal
from encbench.api.testbed import TestbedSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.columns.enclave import encrypted
from encbench.core.columns.layout import MEK, MEK_FILE, key_of
from encbench.core.connection import DATABASE, Connection, EnclaveClient
from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.core.records import ClientFacts
from encbench.engines.registry import engine
from encbench.proofs import enclave as proof_of_types
from encbench.proofs.clients import decrypted
from encbench.tools.session import columns
from encbench.tools.sysbench import command
from encbench.tools.sysbench.enclave import texts
from tests.contract.database.harness import agent
from tests.contract.database.proving import failed
from tests.support import debian, postgres
from tests.support.enclave import Programs
from tests.support.postgres import Postgres
from tests.support.testbeds import ENCLAVE, PLAINTEXT, TLS, spec_of_testbed
from tests.support.workloads import workload_spec

TABLES, ROWS = 2, 2000
ALL: dict[str, Any] = {
    "columns": {
        **ENCLAVE["columns"],
        "ratio": 100,
        "enclave": {**ENCLAVE["columns"]["enclave"], "index": "PageBatch"},
    },
    **TLS,
}
OTHER_KEY = bytes(range(100, 116))


def workload(name: str, **options: str) -> WorkloadSpec:
    test = {"script": f"enclave_{name}", "tables": TABLES, "tableSize": ROWS, "options": options}
    load = {"concurrency": [2], "warmup": "0s", "duration": "1s"}
    return workload_spec(test, load=load)


def spec_of(mode: dict[str, Any], driven: WorkloadSpec) -> TestbedSpec:
    whole = spec_of_testbed(
        mode,
        engine="postgresql",
        version="15",
        image="registry.example.com/postgresql:15",
        settings={"shared_buffers": "64MB"},
    ).to_dict()
    whole["dataset"]["sysbench"] = driven.sysbench_test.to_dict()
    return TestbedSpec.model_validate(whole)


@dataclass
class Arm:
    """One arm: its server, and its client's files."""

    server: Postgres
    spec: TestbedSpec
    folder: Path

    def connection(self) -> Connection:
        """As the operator gives it to a client, with the places of this machine."""
        own, base = self.spec.mode.enclave, self.server.connection
        if own is None:
            return base
        client = EnclaveClient(encrypted(own), own.boundary.index)
        return Connection(
            driver=base.driver,
            host=base.host,
            port=base.port,
            database=base.database,
            enclave=client,
        )

    def run(self, words: list[str]) -> str:
        """Sysbench with that command line."""
        places = {
            command.CREDENTIALS: str(self.folder),
            command.SESSION: str(self.folder),
            MEK_FILE: str(self.folder / MEK),
        }
        for place, here in places.items():
            words = [word.replace(place, here) for word in words]
        script = f"{self.folder}/enclave.lua"
        environment = {
            "PATH": "/usr/bin:/bin",
            "PGSSLMODE": "require" if self.spec.mode.in_transit else "disable",
            "ENCBENCH_SCRIPT": script,
        }
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0 and "FATAL" not in done.stdout, done.stdout
        return done.stdout

    def load(self) -> None:
        """As the load Job does."""
        words = command.load_command(self.spec.dataset.sysbench_test, self.connection(), 2)
        self.run([*words, "cleanup"])
        self.run([*words, "prepare"])
        self.run(command.vacuum_command(self.connection(), 2))

    def trial(self, name: str, *more: str) -> ClientFacts:
        """A run of a workload, and what its client said."""
        options = self.spec.dataset.sysbench_test.options
        words = command.run_command(workload(name, **options), self.connection())
        said = self.run([*words[:-1], "--threads=2", *more, words[-1]])
        return ClientFacts(columns=columns(said))

    def other_key(self) -> Path:
        """A file with a key that nothing was sealed with."""
        path = Path(self.server.layout.config, "other")
        path.write_text(OTHER_KEY.hex())
        return path

    async def prove(self, number: int, *, full: bool = False) -> Proof:
        """The whole proof of the arm's mode."""
        async with agent(self.server, self.spec.mode.to_dict()) as there:
            evidence = await there.evidence(number, full=full)
        proof = engine("postgresql").judge(evidence, self.spec.mode, full=full)
        return proof_of_types.judge(proof, evidence, self.spec)


@contextmanager
def arm(programs: Programs, mode: dict[str, Any], folder: Path, **options: str) -> Iterator[Arm]:
    """A server in that mode with its data."""
    debian.install("sysbench")
    spec = spec_of(mode, workload("point", **options))
    with postgres.running(mode, spec=spec, binaries=programs.binaries) as server:
        own = (command.SESSION_SCRIPT, command.VACUUM_SCRIPT)
        files = {**texts(), **{name: script(name) for name in own}}
        files[command.OPTIONS_FILE] = server.credentials[command.OPTIONS_FILE]
        if spec.mode.enclave:
            files[MEK] = server.credentials[MEK]
        for name, text in files.items():
            (folder / name).write_text(text)
        made = Arm(server, spec, folder)
        made.load()
        yield made


def script(name: str) -> str:
    return Path(command.__file__).with_name(name).read_text()


@pytest.fixture(scope="module")
def scenario_1(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arm]:
    """k, c and pad are encrypted."""
    with arm(programs, ENCLAVE, tmp_path_factory.mktemp("one")) as made:
        yield made


@pytest.fixture(scope="module")
def scenario_3(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arm]:
    """All columns are, with page batching, and rows are found by k; TLS as well."""
    with arm(programs, ALL, tmp_path_factory.mktemp("three"), lookup="k") as made:
        yield made


@pytest.fixture(scope="module")
def plain(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arm]:
    """A plain arm with the same image, whose server could have the extension."""
    with arm(programs, PLAINTEXT, tmp_path_factory.mktemp("plain")) as made:
        yield made


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", ["scenario_1", "scenario_3", "plain"])
async def test_a_mode_in_force_is_proven(
    request: pytest.FixtureRequest, name: str, full: bool
) -> None:
    own: Arm = request.getfixturevalue(name)
    proof = await own.prove(1, full=full)
    assert proof.ok, proof.summary
    assert ("SIMULATION of the boundary" in proof.summary) is (name != "plain")


@pytest.mark.parametrize(
    ("name", "workloads"),
    [("scenario_1", ("point", "range", "write")), ("scenario_3", ("point", "range"))],
)
async def test_the_client_opens_the_row_as_the_agent_does(
    request: pytest.FixtureRequest, name: str, workloads: tuple[str, ...]
) -> None:
    own: Arm = request.getfixturevalue(name)
    before = await own.prove(2)
    clients = [own.trial(one) for one in workloads]
    after = await own.prove(3)
    made = TrialProofsRecord(before=before, after=after)
    proof = decrypted(own.spec, workload("point"), clients, made)
    assert proof is not None and proof.ok, proof


async def test_another_mode_is_not_proven(scenario_1: Arm, plain: Arm) -> None:
    async with agent(plain.server, {}) as there:
        evidence = await there.evidence(4, full=False)
    judged = engine("postgresql").judge(evidence, scenario_1.spec.mode, full=False)
    assert not proof_of_types.judge(judged, evidence, scenario_1.spec).ok
    async with agent(scenario_1.server, {}) as there:
        evidence = await there.evidence(5, full=False)
    assert not engine("postgresql").judge(evidence, plain.spec.mode, full=False).ok


# -- the breakages that must not pass


async def test_a_plain_column_among_encrypted_ones(scenario_1: Arm) -> None:
    admin = scenario_1.server.admin
    admin("ALTER TABLE sbtest2 RENAME pad TO kept", "ALTER TABLE sbtest2 ADD pad char(60)")
    try:
        found = failed(await scenario_1.prove(10))
    finally:
        admin("ALTER TABLE sbtest2 DROP pad", "ALTER TABLE sbtest2 RENAME kept TO pad")
    assert found == {
        "columns of another type": "expected none; observed sbtest2.pad is character(60) instead "
        "of enc_text"
    }


async def test_a_value_of_another_key(scenario_1: Arm) -> None:
    admin = scenario_1.server.admin
    ((right,),) = admin("SELECT enc_text_send(c) FROM sbtest1 WHERE id = 0")
    foreign = seal("a text", OTHER_KEY)
    admin(f"UPDATE sbtest1 SET c = '{foreign}' WHERE id = 0")  # noqa: S608 base64
    try:
        found = failed(await scenario_1.prove(11))
    finally:
        own = base64.b64encode(right).decode()
        admin(f"UPDATE sbtest1 SET c = '{own}' WHERE id = 0")  # noqa: S608 base64
    assert set(found) == {"values that the key does not open", "digest of the row"}


async def test_a_server_with_another_key(scenario_1: Arm) -> None:
    """It cannot compare what the agent has sealed with the mode's key."""
    admin, other = scenario_1.server.admin, scenario_1.other_key()
    admin(f"ALTER SYSTEM SET encbench_enclave.key_file = '{other}'", "SELECT pg_reload_conf()")
    try:
        found = failed(await scenario_1.prove(19))
    finally:
        admin("ALTER SYSTEM RESET encbench_enclave.key_file", "SELECT pg_reload_conf()")
    assert set(found) == {"statements over encrypted values"}
    assert (await scenario_1.prove(20)).ok, "nothing was left behind"


async def test_a_missing_index(scenario_1: Arm, scenario_3: Arm) -> None:
    admin = scenario_1.server.admin
    admin("ALTER TABLE sbtest1 DROP CONSTRAINT sbtest1_pkey")
    try:
        found = failed(await scenario_1.prove(12))
    finally:
        admin("ALTER TABLE sbtest1 ADD PRIMARY KEY (id)")
    assert "sbtest1.id has none" in found["indexes that are missing or of another operator class"]
    assert "by id (Seq Scan)" in found["statements that do not use the index"]
    admin = scenario_3.server.admin
    admin("DROP INDEX k_1", "CREATE INDEX k_1 ON sbtest1 (k)")
    try:
        found = failed(await scenario_3.prove(13))
    finally:
        admin("DROP INDEX k_1", "CREATE INDEX k_1 ON sbtest1 (k enc_int4_batch_ops)")
    assert set(found) == {
        "indexes that are missing or of another operator class",
        "crossings of a search by k",
    }


async def test_an_index_that_is_not_batched(scenario_3: Arm) -> None:
    """The pages of a table that is not logged are compared one by one, by the right class."""
    admin = scenario_3.server.admin
    admin("ALTER TABLE sbtest1 SET UNLOGGED")
    try:
        found = failed(await scenario_3.prove(22))
    finally:
        admin("ALTER TABLE sbtest1 SET LOGGED")
    assert set(found) == {"crossings of a search by id", "crossings of a search by k"}
    assert (await scenario_3.prove(23)).ok


async def test_a_boundary_that_is_off_while_it_is_asked_for(scenario_1: Arm) -> None:
    admin = scenario_1.server.admin
    admin("ALTER SYSTEM SET encbench_enclave.transition_ns = 0", "SELECT pg_reload_conf()")
    try:
        found = failed(await scenario_1.prove(14))
    finally:
        admin("ALTER SYSTEM RESET encbench_enclave.transition_ns", "SELECT pg_reload_conf()")
    assert "cost of a transition, as the server has it" in found
    assert "cost of a transition, measured" in found
    admin("ALTER ROLE encbench SET encbench_enclave.transition_ns = 0")
    try:
        found = failed(await scenario_1.prove(15))
    finally:
        admin("ALTER ROLE encbench RESET encbench_enclave.transition_ns")
    assert set(found) == {"settings of single roles or databases"}


async def test_a_boundary_that_the_database_answers_for(scenario_1: Arm) -> None:
    """Its owner makes a function of the same name, without an argument."""
    admin = scenario_1.server.admin
    admin(
        "ALTER SYSTEM SET encbench_enclave.transition_ns = 0",
        "SELECT pg_reload_conf()",
        "SET ROLE encbench",
        "CREATE FUNCTION public.enclave_calibrate(OUT transition_asked int, "
        "OUT transition_achieved float8, OUT value_asked int, OUT value_achieved float8) "
        "LANGUAGE sql AS 'SELECT 8000, 8000.0::float8, 1200, 1200.0::float8'",
    )
    try:
        found = failed(await scenario_1.prove(21))
    finally:
        admin(
            "DROP FUNCTION public.enclave_calibrate()",
            "ALTER SYSTEM RESET encbench_enclave.transition_ns",
            "SELECT pg_reload_conf()",
        )
    assert set(found) == {
        "cost of a transition, as the server has it",
        "cost of a transition, measured",
    }


@pytest.mark.parametrize("cost", ["transition_ns", "value_ns"])
def test_a_client_does_not_switch_the_boundary_off(scenario_1: Arm, cost: str) -> None:
    """Its startup option takes the place of the server's own setting before the module is there."""
    server, made = scenario_1.server, scenario_1.server.credentials
    place = f"host=127.0.0.1 port={server.layout.port} dbname={DATABASE} user={made['username']}"
    place += f" password={made['password']} options='-c encbench_enclave.{cost}=0'"
    compared = "SELECT k < k FROM sbtest1 LIMIT 1"
    done = server.inside("psql", "--no-psqlrc", "-d", place, "-c", compared)
    assert done.returncode != 0
    assert "the costs of the simulated boundary are not set" in done.stderr


async def test_the_extension_in_a_plain_arm(plain: Arm) -> None:
    plain.server.admin("CREATE EXTENSION encbench_enclave")
    try:
        found = failed(await plain.prove(16))
    finally:
        plain.server.admin("DROP EXTENSION encbench_enclave")
    assert set(found) == {"encrypted column types, and their extension"}


async def test_a_client_that_does_not_encrypt(scenario_1: Arm) -> None:
    """By a plain id it finds its rows, and takes ciphertext for the answer."""
    proof = await scenario_1.prove(17)
    client = scenario_1.trial("point", "--encrypted=none")
    made = TrialProofsRecord(before=proof, after=proof)
    judged = decrypted(scenario_1.spec, workload("point"), [client], made)
    assert judged is not None and not judged.ok
    assert "others in sbtest1" in judged.summary


async def test_the_key_is_in_no_log_and_no_statement(scenario_1: Arm) -> None:
    secret = scenario_1.server.credentials[MEK]
    admin = scenario_1.server.admin
    admin("ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()")
    try:
        await scenario_1.prove(18)
        scenario_1.trial("write")
        shown = admin("SELECT query FROM pg_stat_activity") + admin("SHOW ALL")
    finally:
        admin("ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()")
    said = scenario_1.server.said()
    assert "statement: CREATE INDEX ON encbench_agent." in said
    for text in (said, str(shown)):
        assert secret not in text
        assert key_of(secret).hex() not in text
