# ruff: noqa: S608 - the statements are made of this file's own words
"""The real sysbench with the study's script, against a server with the extension."""

import base64
import hashlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.connection import DATABASE
from encbench.core.dataset import dataset_bytes
from encbench.tools import session, sysbench
from encbench.tools.sysbench import script
from encbench.tools.sysbench.command import OPTIONS_FILE
from tests.support import debian, enclave
from tests.support.enclave import Programs
from tests.support.postgres import Postgres
from tests.support.testbeds import ENCLAVE
from tests.support.workloads import workload_spec

SCRIPT = Path(sysbench.__file__).with_name("enclave.lua")
CIPHER_CHECK = Path(__file__).with_name("cipher.lua")
TABLES, ROWS = 2, 3000
SCENARIOS = {
    1: {"encrypted": "k,c,pad"},
    2: {"encrypted": "id,k,c,pad"},
    3: {"encrypted": "id,k,c,pad", "lookup": "k"},
}
WORKLOADS = {1: ("point", "range", "write"), 2: ("point", "range", "write"), 3: ("point", "range")}
DIGITS = re.compile(r"[0-9]{11}-[0-9]{11}")
"""What each c and pad looks like in plaintext."""


@dataclass
class Client:
    """sysbench in one arm."""

    server: Postgres
    folder: Path
    key: Path
    arm: tuple[str, ...]

    def run(self, command: str, scenario: int = 1, **options: object) -> tuple[int, str]:
        """A command, its exit code and all that it said."""
        own = SCENARIOS[scenario]
        given = {"tables": TABLES, "table-size": ROWS, "threads": 2, **options}
        words = [
            *("sysbench", f"--config-file={self.folder / OPTIONS_FILE}", "--db-driver=pgsql"),
            *("--pgsql-host=127.0.0.1", f"--pgsql-port={self.server.layout.port}"),
            *(f"--pgsql-db={DATABASE}", str(SCRIPT), command),
            *(f"--{name.replace('_', '-')}={value}" for name, value in own.items()),
            *self.arm,
            *(f"--{name.replace('_', '-')}={value}" for name, value in given.items()),
        ]
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
            env={"PATH": "/usr/bin:/bin", "PGSSLMODE": "disable"},
        )
        return done.returncode, done.stdout

    def load(self, scenario: int, **options: object) -> None:
        """Load the dataset anew."""
        assert self.run("cleanup", scenario=scenario)[0] == 0
        code, said = self.run("prepare", scenario=scenario, **options)
        assert code == 0, said
        assert "FATAL" not in said


@pytest.fixture(scope="module", autouse=True)
def program() -> None:
    """Have sysbench."""
    debian.install("sysbench")


@pytest.fixture(scope="module")
def server(programs: Programs) -> Iterator[Postgres]:
    """It logs every statement, and lets the benchmark's user in."""
    logs = {"log_statement": "all", "log_min_duration_statement": "0"}
    with enclave.running(programs, overrides=logs, rules=None) as made:
        yield made


@pytest.fixture
def client(server: Postgres, tmp_path: Path) -> Client:
    (tmp_path / OPTIONS_FILE).write_text(server.credentials[OPTIONS_FILE])
    key = tmp_path / "key"
    key.write_text(enclave.KEY)
    return Client(server, tmp_path, key, (f"--key-file={key}",))


def test_its_options_can_be_read_from_its_text() -> None:
    declared = script.read(SCRIPT.read_text())
    assert {"tables", "table_size", "encrypted", "lookup", "workload"} <= declared.options
    assert "prepare" in declared.commands
    assert {"event", "thread_init", "cleanup"} <= declared.functions


@pytest.mark.parametrize("index", ["Single", "PageBatch"])
@pytest.mark.parametrize("scenario", WORKLOADS)
def test_the_study_s_workloads(client: Client, scenario: int, index: str) -> None:
    client.load(scenario, index=index)
    types = dict(
        client.server.admin(
            "SELECT attname, atttypid::regtype::text FROM pg_attribute "
            "WHERE attrelid = 'sbtest2'::regclass AND attnum > 0"
        )
    )
    encrypted = {"k": "enc_int4", "c": "enc_text", "pad": "enc_text"}
    assert types == {"id": "enc_int4" if scenario > 1 else "integer", **encrypted}
    for workload in WORKLOADS[scenario]:
        options = {"index": index, "workload": workload, "time": 1}
        code, said = client.run("run", scenario, **options)
        assert code == 0, said
        ((done,),) = (re.findall(r"transactions: +([0-9]+)", said),)
        assert int(done) > 10, said
        assert digests(said) == [digest_of_row(client.server, scenario)] * 2
        if workload != "write":
            ((queries,),) = (re.findall(r"queries: +([0-9]+)", said),)
            assert int(queries) == int(done) + 2, "two readings of the row"
    assert client.server.admin("SELECT count(*) FROM sbtest1") == [(ROWS + 1,)]
    assert client.server.admin("SELECT count(*) FROM sbtest2") == [(ROWS,)]


def digests(said: str) -> list[str]:
    """What the client says of the row that no workload touches."""
    return [digest for table, digest in session.columns(said) if table == "sbtest1"]


def digest_of_row(server: Postgres, scenario: int) -> str:
    """The same row, opened by another program."""
    condition = "enc_open(id) = 0" if scenario > 1 else "id = 0"
    ((k, c, pad),) = server.admin(
        f"SELECT enc_open(k), enc_open(c), enc_open(pad) FROM sbtest1 WHERE {condition}"
    )
    assert DIGITS.match(c)
    return hashlib.sha256(f"{k}\x1f{c}\x1f{pad}".encode()).hexdigest()


@pytest.mark.parametrize("scenario", [1, 3])
def test_the_plain_arm_has_nothing_of_it(client: Client, scenario: int) -> None:
    client.arm = ("--encrypted=none",)
    client.load(scenario)
    types = client.server.admin(
        "SELECT DISTINCT format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid IN ('sbtest1'::regclass, 'sbtest2'::regclass) AND attnum > 0 ORDER BY 1"
    )
    assert types == [("character(120)",), ("character(60)",), ("integer",)]
    for workload in WORKLOADS[scenario]:
        code, said = client.run("run", scenario=scenario, workload=workload, time=1)
        assert code == 0, said
        ((k, c, pad),) = client.server.admin(
            "SELECT k, rtrim(c), rtrim(pad) FROM sbtest1 WHERE id = 0"
        )
        assert digests(said) == [hashlib.sha256(f"{k}\x1f{c}\x1f{pad}".encode()).hexdigest()] * 2


def test_any_columns_may_be_encrypted(client: Client) -> None:
    """A mode's own list, such as the texts alone."""
    client.load(1, encrypted="c")
    code, said = client.run("run", encrypted="c", workload="write", time=1)
    assert code == 0, said
    ((k, c, pad),) = client.server.admin(
        "SELECT k, enc_open(c), rtrim(pad) FROM sbtest1 WHERE id = 0"
    )
    assert digests(said) == [hashlib.sha256(f"{k}\x1f{c}\x1f{pad}".encode()).hexdigest()] * 2


def test_scenario_3_has_each_k_once(client: Client) -> None:
    client.load(3)
    rows = client.server.admin(
        "SELECT count(DISTINCT enc_open(k)), min(enc_open(k)), max(enc_open(k)), "
        "corr(enc_open(id), enc_open(k)) FROM sbtest2"
    )
    assert rows[0][:3] == (ROWS, 1, ROWS)
    assert abs(rows[0][3]) < 0.1


@pytest.mark.parametrize(("ratio", "scenario"), [(None, 1), (75, 1), (100, 2)])
def test_tables_take_what_they_are_expected_to(
    client: Client, ratio: int | None, scenario: int
) -> None:
    rows = 20_000
    mode = {"columns": {**ENCLAVE["columns"], "ratio": ratio}} if ratio else {}
    if ratio is None:
        client.arm = ("--encrypted=none",)
    client.load(scenario, tables=1, table_size=rows)
    ((size,),) = client.server.admin("SELECT pg_total_relation_size('sbtest1')")
    made = workload_spec({"script": "enclave_point", "tables": 1, "tableSize": rows})
    expected = dataset_bytes(made, [EncryptionModeSpec.model_validate(mode)])
    assert expected == pytest.approx(size, rel=0.15)


def test_a_default_is_ciphertext(client: Client) -> None:
    client.load(1)
    client.server.admin("INSERT INTO sbtest2 (id) VALUES (-1)")
    ((k, c, pad),) = client.server.admin(
        "SELECT enc_int4_send(k), enc_text_send(c), enc_text_send(pad) FROM sbtest2 WHERE id = -1"
    )
    assert (len(k), len(c), len(pad)) == (36, 32, 32)
    opened = client.server.admin(
        "SELECT enc_open(k), enc_open(c), enc_open(pad) FROM sbtest2 WHERE id = -1"
    )
    assert opened == [(0, "", "")]


def test_the_key_and_what_it_seals_are_nowhere(client: Client, server: Postgres) -> None:
    """Not in the statements that the server logs or shows, nor in what the client says."""
    before = len(server.said())
    client.load(2)
    code, said = client.run("run", scenario=2, workload="write", time=1)
    assert code == 0, said
    logged = server.said()[before:]
    assert "INSERT INTO sbtest1 (id, k, c, pad) VALUES" in logged
    assert "parameters: $1 = " in logged
    for secret in (enclave.KEY, base64.b64encode(bytes.fromhex(enclave.KEY)).decode()):
        assert secret not in logged
        assert secret not in said
        assert secret not in " ".join(client.arm)
    assert DIGITS.search(logged) is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"encrypted": "k,x"}, "--encrypted must be none, or some of: id, k, c, pad"),
        ({"encrypted": ""}, "--encrypted must be none, or some of: id, k, c, pad"),
        ({"lookup": "c"}, "--lookup must be one of: id, k"),
        ({"workload": "points"}, "--workload must be one of: point, range, write"),
        ({"index": "Paged"}, "--index must be one of: Single, PageBatch"),
        ({"scenario": 3, "workload": "write"}, "write finds its rows by id"),
        ({"key_file": "/nowhere"}, "the key's file cannot be read"),
        ({"key_file": "/etc/hostname"}, "does not hold a key of 32 hexadecimal digits"),
    ],
)
def test_refusals(client: Client, options: dict[str, Any], why: str) -> None:
    for command in ("prepare", "run"):
        code, said = client.run(command, **{"time": 1, **options})
        assert code != 0 or "FATAL" in said
        assert why in said


def test_the_cipher_opens_what_it_sealed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(enclave.KEY)
    done = subprocess.run(
        ["sysbench", str(CIPHER_CHECK), "check"],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": "/usr/bin:/bin",
            "CIPHER": str(SCRIPT.with_name("enclave_cipher.lua")),
            "KEY_FILE": str(tmp_path / "key"),
        },
    )
    assert "1005 numbers, 576 flips" in done.stdout, done.stdout + done.stderr


def test_another_key_opens_nothing(client: Client) -> None:
    client.load(1)
    client.key.write_text("ff" * 16)
    code, said = client.run("run", scenario=1, workload="point", time=1)
    assert code != 0
    assert "the key does not open a value" in said
    assert "ff" * 16 not in said
