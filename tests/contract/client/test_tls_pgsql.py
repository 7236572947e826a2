"""The same as test_tls.py by PostgreSQL's protocol, whose library verifies names as well."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit
from encbench.core.records import ClientFacts
from encbench.core.tls import PLAIN, expected
from encbench.proofs import clients
from encbench.tools.sysbench.command import AUTHORITY
from encbench.tools.sysbench.parser import parse
from tests.contract.client.sysbench import SHORT, VERSIONS, Bench, refused
from tests.support import certified, debian, postgres
from tests.support.testbeds import PLAINTEXT

UNNAMED = "127.0.0.2"
"""The server listens there as well, and its certificate does not say so."""
OPEN = {"listen_addresses": f"127.0.0.1,{UNNAMED}"}


@contextmanager
def benched(mode: Mapping[str, Any], folder: Path) -> Iterator[Bench]:
    """A PostgreSQL in that mode with a loaded dataset."""
    debian.install("sysbench")
    with postgres.running(mode, overrides=OPEN) as server:
        bench = Bench(server, folder)
        assert bench.load() == (0, "")
        yield bench


@pytest.fixture(scope="module", params=VERSIONS)
def encrypted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """One that takes only TLS. Tests leave it as they found it."""
    with benched(request.param, tmp_path_factory.mktemp("client")) as bench:
        yield bench


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One without TLS."""
    with benched(PLAINTEXT, tmp_path_factory.mktemp("client")) as bench:
        yield bench


def test_exactly_the_mode_s_suite_is_negotiated_and_told(encrypted: Bench, plain: Bench) -> None:
    for bench in (encrypted, plain):
        code, output = bench.run("oltp_point_select", **SHORT)
        assert code == 0, output
        found = parse(output)
        assert found.sessions == (expected(bench.connection.tls),)
        assert bench.proves(output)
        assert found.qps == found.tps > 0, "the question is not the workload's"


def test_who_has_it_otherwise_is_refused(encrypted: Bench, plain: Bench) -> None:
    assert refused(*encrypted.told(None).run(**SHORT), "no encryption")
    code, output = plain.told(InTransit()).run(**SHORT)
    assert refused(code, output, "server does not support SSL")


def test_another_name_is_refused(encrypted: Bench) -> None:
    elsewhere = Bench(encrypted.server, encrypted.folder)
    elsewhere.connection = replace(encrypted.connection, host=UNNAMED)
    assert refused(*elsewhere.run(**SHORT), "does not match host name")


def test_another_ca_is_refused(encrypted: Bench, tmp_path: Path) -> None:
    other = Bench(encrypted.server, tmp_path)
    (tmp_path / AUTHORITY).write_text(certified.issued(by="another").authority)
    assert refused(*other.run(**SHORT), "certificate verify failed")


def test_libpq_that_is_told_nothing_encrypts_and_that_is_no_plaintext(encrypted: Bench) -> None:
    """Why a plaintext client is told PGSSLMODE=disable, and is asked all the same."""
    told = encrypted.words(**SHORT)
    untold = [word for word in told if not word.startswith(("PGSSL", "PGGSS"))]
    assert len(untold) < len(told)
    done = subprocess.run(
        [*untold, "--threads=1"], capture_output=True, text=True, timeout=60, check=True
    )
    sessions = parse(done.stdout).sessions
    assert sessions
    assert PLAIN not in sessions
    assert not clients.sessions(EncryptionModeSpec(), [ClientFacts(sessions=sessions)]).ok
