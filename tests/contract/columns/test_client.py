"""What our TPC-C client reads through its driver, told by it and judged by the agent's own session.

The client runs by the operator's own script and properties, before a real proxy and a real server;
only places differ. What it prints must be what the agent computes, to the digest.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from encbench.api.columns import JdbcDriver
from encbench.api.testbed import TestbedSpec
from encbench.core.columns import selection
from encbench.core.columns.layout import MEK_FILE
from encbench.core.connection import Connection, SecretEntry
from encbench.core.evidence import Proof
from encbench.core.records import ClientFacts
from encbench.proofs.clients import read
from encbench.tools.measurement import Measurement, ParseError
from encbench.tools.tpcc import drivers
from encbench.tools.tpcc.parser import parse
from tests.contract.columns.proving import OTHER_KEY, evidence, judge, spec_of
from tests.support import confidential, mariadb, mysql
from tests.support.confidential import AES, KEY, SM4
from tests.support.subset import first_of
from tests.support.testbeds import PLAINTEXT
from tests.support.tpcc import CLIENT_SH, Bench, home, loaded
from tests.support.workloads import tpcc_spec

OURS = JdbcDriver.model_validate({"encrypting": {}})
JAR = {
    "claimName": "drivers",
    "path": "driver.jar",
    "class": "io.encbench.jdbc.EncbenchDriver",
    "sha256": "0" * 64,
}
SCHEMES = {"mariadb": ("mariadb", "disable"), "mysql": ("mysql", "DISABLED")}


@dataclass(frozen=True)
class Client(Bench):
    """Our client in an arm with columns."""

    port: int = 0
    driver: JdbcDriver | None = None
    key: str = KEY

    @property
    def connection(self) -> Connection:
        """Through the proxy."""
        mek = SecretEntry("bed-credentials", "mek") if self.driver else None
        return replace(super().connection, port=self.port, jdbc=self.driver, mek=mek, columns=True)

    def run(self, **more: str) -> "subprocess.CompletedProcess[str]":
        """A short run of all five transactions."""
        spec = tpcc_spec({"warehouses": 1}, {"warmup": "1s", "duration": "4s"})
        values = self.run_environment(spec)
        own, key = self.folder / "drivers", self.folder / "client.mek"
        key.write_text(f"{self.key}\n")
        for name, text in drivers.environment(self.connection).items():
            values[name] = text.replace(MEK_FILE, str(key)).replace(drivers.FOLDER, str(own))
        (arguments,) = self.arguments(spec, 2)
        return subprocess.run(
            ["sh", str(CLIENT_SH), "own", "run", *arguments.split()],
            env={**os.environ, **values, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module", params=first_of(["mariadb", "mysql"]))
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    start: Any = {"mariadb": mariadb.running, "mysql": mysql.running}[request.param]
    with start(PLAINTEXT, dataset=loaded(1)) as found:
        yield found


def measurement(done: "subprocess.CompletedProcess[str]") -> Measurement:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return parse(done.stdout)


def around(server: Any, folder: Path, client: Client, spec: TestbedSpec, **more: str) -> Proof:
    """A trial as the operator sees it: evidence, run, evidence, what the client told."""
    columns = spec.mode.columns
    assert columns is not None
    before = evidence(server, folder / "before", spec, full=False)
    text = selection.file_text("tpcc", columns)
    with confidential.running(folder / "proxy", server.layout.port, text, columns.algorithm) as one:
        found = measurement(replace(client, port=one.port).run(**more))
    after = evidence(server, folder / "after", spec, full=False)
    proofs = [judge(seen, spec, full=False) for seen in (before, after)]
    assert all(proof.ok for proof in proofs), [proof.summary for proof in proofs]
    assert found.transactions > 0
    return read([ClientFacts(columns=found.columns)], *proofs)


@pytest.mark.parametrize(
    ("ratio", "algorithm"), [(0, AES), pytest.param(50, AES, marks=pytest.mark.full), (100, SM4)]
)
def test_our_driver_reads_what_the_server_has(
    server: Any, tmp_path: Path, ratio: int, algorithm: str
) -> None:
    spec = spec_of({"ratio": ratio, "algorithm": algorithm}, tpcc=True)
    proof = around(server, tmp_path, Client(server, tmp_path, driver=OURS), spec)
    assert proof.ok, proof.summary


def test_the_hop_alone(server: Any, tmp_path: Path) -> None:
    proof = around(server, tmp_path, Client(server, tmp_path), spec_of({"ratio": 0}, tpcc=True))
    assert proof.ok, proof.summary


def test_our_jar_in_the_place_of_a_users_own(server: Any, tmp_path: Path) -> None:
    """The client's own libraries are all there but the encrypting driver."""
    library, own = tmp_path / "home/lib", tmp_path / "drivers"
    library.mkdir(parents=True)
    own.mkdir()
    for jar in (home() / "lib").iterdir():
        target = own / "driver.jar" if jar.name.startswith("encjdbc") else library / jar.name
        target.symlink_to(jar)
    assert (own / "driver.jar").exists()
    scheme, off = SCHEMES[server.engine]
    inner = f"jdbc:{scheme}://{{host}}:{{port}}/{{database}}?sslMode={off}"
    template = f"jdbc:encbench:{inner}&allowPublicKeyRetrieval=true&encbench.mekFile={{mekFile}}"
    driver = JdbcDriver.model_validate({"jar": {**JAR, "urlTemplate": template}})
    client = Client(server, tmp_path, driver=driver)
    spec = spec_of({"ratio": 100}, tpcc=True)
    proof = around(server, tmp_path, client, spec, TPCC_HOME=str(library.parent))
    assert proof.ok, proof.summary


def test_another_key_measures_nothing(server: Any, tmp_path: Path) -> None:
    client = Client(server, tmp_path, driver=OURS, key=OTHER_KEY)
    spec = spec_of({"ratio": 100}, tpcc=True)
    assert spec.mode.columns is not None
    text = selection.file_text("tpcc", spec.mode.columns)
    with confidential.running(tmp_path / "proxy", server.layout.port, text) as one:
        done = replace(client, port=one.port).run()
    assert done.returncode != 0
    with pytest.raises(ParseError):
        parse(done.stdout)
    assert OTHER_KEY not in done.stdout + done.stderr
