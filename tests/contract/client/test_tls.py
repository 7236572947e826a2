"""What the real tool negotiates with a real server, what it tells of it, and what it refuses.

A mode that is not in force must be seen, whichever side has it wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit
from encbench.core.tls import PLAIN, TlsSession, expected
from encbench.tools.sysbench import builtin
from encbench.tools.sysbench.parser import parse
from tests.contract.client.harness import uploads
from tests.contract.client.sysbench import SHORT, VERSIONS, Bench, refused
from tests.support import certified, debian
from tests.support.local_client import local_client
from tests.support.mariadb import running
from tests.support.receiver import Receiver
from tests.support.testbeds import PLAINTEXT, TLS, TLS12
from tests.support.wire import tapped

SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]


@pytest.fixture(scope="module", params=VERSIONS)
def encrypted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """A server in a TLS mode with a loaded dataset. Tests leave it as they found it."""
    debian.install("sysbench")
    with running(request.param) as server:
        bench = Bench(server, tmp_path_factory.mktemp("client"))
        assert bench.load() == (0, "")
        yield bench


def test_exactly_the_mode_s_suite_is_negotiated_and_told(
    encrypted: Bench, tmp_path: Path, receiver: Receiver
) -> None:
    command = encrypted.tool(duration="2s")
    with local_client(tmp_path / "pod", command, own="--threads=3") as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        assert one.wait_for("uploaded")["exitCode"] == 0
    assert parse(one.output).sessions == (expected(encrypted.server.spec.mode.in_transit),)
    assert one.output.count("encbench-session") == 1, "only the first thread tells"
    assert one.output.index("encbench-session") < one.output.index("Threads started!")
    assert encrypted.proves(one.output)
    # On a busy machine a question of this test's own may end before its handshake.
    assert all("a caller went away" in line for line in one.said().splitlines())


def test_a_plaintext_client_tells_that_it_has_none(bench: Bench) -> None:
    code, output = bench.run(**SHORT)
    assert code == 0
    assert parse(output).sessions == (PLAIN,)
    assert bench.proves(output)


@pytest.mark.parametrize("script", sorted(set(builtin.SCRIPTS) - {"oltp_common"}))
def test_every_built_in_script_tells(bench: Bench, script: str) -> None:
    code, output = bench.run(script, tables=1, **SHORT)
    assert code == 0, output
    assert parse(output).sessions == (PLAIN,)


def test_a_script_of_the_user_s_own_tells_and_keeps_its_options(
    encrypted: Bench, tmp_path: Path
) -> None:
    script = tmp_path / "late.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "local con\n"
        "function event()\n"
        '  if not con then io.write("connects...") end\n'
        "  con = con or sysbench.sql.driver():connect()\n"
        '  assert(con:query_row("SELECT 7") == "7")\n'
        f'  assert(sysbench.opt.table_size == 2000 and test == "{script}")\n'
        "end\n"
    )
    code, output = encrypted.run(str(script), **SHORT)
    assert code == 0, output
    assert encrypted.proves(output)


def test_a_script_that_asks_in_a_way_of_its_own_tells_nothing(bench: Bench, tmp_path: Path) -> None:
    """No proof, which makes its trials Invalid: it must not count as plaintext."""
    script = tmp_path / "old.lua"
    script.write_text(
        'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}\n'
        "function thread_init() db_connect() end\n"
        'function event() db_query("SELECT 1") end\n'
    )
    code, output = bench.run(str(script), **SHORT)
    assert code == 0, output
    assert parse(output).sessions == ()
    assert not bench.proves(output)


def test_the_question_is_no_query_of_the_workload(bench: Bench) -> None:
    code, output = bench.run("oltp_point_select", **SHORT)
    assert code == 0, output
    found = parse(output)
    assert found.qps == found.tps > 0


def test_a_client_without_tls_is_refused(encrypted: Bench) -> None:
    code, output = encrypted.told(None).run(**SHORT)
    assert refused(code, output, "Access denied")


@pytest.mark.parametrize("suite", SUITES[1:])
def test_a_client_that_wants_another_suite_is_refused(encrypted: Bench, suite: str) -> None:
    own = encrypted.server.spec.mode.in_transit
    assert own is not None
    other = InTransit.model_validate({"version": own.version, "cipherSuite": suite})
    code, output = encrypted.told(other).run(**SHORT)
    assert refused(code, output, "handshake failure")


def test_a_server_of_another_ca_is_refused(encrypted: Bench, tmp_path: Path) -> None:
    other = certified.issued(by="another")
    (tmp_path / "client").mkdir()
    client = Bench(encrypted.server, tmp_path / "client")
    (client.folder / "cacert.pem").write_text(other.authority)
    code, output = client.run(**SHORT)
    assert refused(code, output, "certificate")


def test_the_server_s_name_is_not_verified(tmp_path: Path) -> None:
    """A limit of sysbench 1.0.20 that docs/modes.md tells of; when this fails, tell it no more."""
    elsewhere = certified.issued(hosts=["somewhere-else"])
    with running(TLS, issued=elsewhere) as server:
        bench = Bench(server, tmp_path)
        assert bench.load() == (0, "")
        code, output = bench.run(**SHORT)
    assert code == 0
    assert bench.proves(output)


@pytest.mark.parametrize("mode", [TLS, TLS12], ids=["TLSv1.3", "TLSv1.2"])
def test_a_server_with_another_suite_measures_nothing(tmp_path: Path, mode: dict[str, Any]) -> None:
    wrong = {"TLSv1.3": SUITES[1], "TLSv1.2": "ECDHE-ECDSA-AES256-GCM-SHA384"}
    in_transit = EncryptionModeSpec.model_validate(mode).in_transit
    assert in_transit is not None
    with running(mode, overrides={"ssl_cipher": wrong[in_transit.version]}) as server:
        code, output = Bench(server, tmp_path).run(**SHORT)
    assert refused(code, output, "handshake failure")


def test_a_server_of_another_version_is_seen_in_what_the_client_tells(tmp_path: Path) -> None:
    """A client of TLS 1.3's suite takes any of TLS 1.2, so that only the session shows it."""
    wrong = {"tls_version": "TLSv1.2", "ssl_cipher": "ECDHE-ECDSA-AES256-GCM-SHA384"}
    with running(TLS, overrides=wrong) as server:
        bench = Bench(server, tmp_path)
        assert bench.load() == (0, "")
        code, output = bench.run(**SHORT)
    assert code == 0
    assert parse(output).sessions == (TlsSession(tls="TLSv1.2", cipher=wrong["ssl_cipher"]),)
    assert not bench.proves(output)


def test_tls_that_is_silently_off_is_seen(tmp_path: Path) -> None:
    """Neither server nor user nor client wants any: nothing fails but the proof."""
    off = {"ssl": "OFF", "require_secure_transport": "OFF"}
    with running(TLS, overrides=off) as server:
        server.admin("ALTER USER 'encbench'@'%' REQUIRE NONE")
        bench = Bench(server, tmp_path).told(None)
        assert bench.load() == (0, "")
        code, output = bench.run(**SHORT)
    assert code == 0
    assert parse(output).sessions == (PLAIN,)
    assert not bench.proves(output)


def test_a_plaintext_baseline_that_is_encrypted_is_seen(tmp_path: Path) -> None:
    on = {
        "ssl": "ON",
        "ssl_ca": "{tls}/ca.crt",
        "ssl_cert": "{tls}/tls.crt",
        "ssl_key": "{tls}/tls.key",
    }
    with running(PLAINTEXT, overrides=on) as server:
        bench = Bench(server, tmp_path).told(InTransit())
        assert bench.load() == (0, "")
        code, output = bench.run(**SHORT)
    assert code == 0
    assert parse(output).sessions == (expected(InTransit()),)
    assert not bench.proves(output)


def test_the_wire_says_the_same_as_the_session(bench: Bench, encrypted: Bench) -> None:
    """A third witness: statements and rows can be read on the way, or cannot."""
    for one in (bench, encrypted):
        with tapped(one.server.layout.port) as wire:
            through = Bench(one.server, one.folder)
            through.connection = replace(one.connection, port=wire.port)
            code, output = through.run(**SHORT)
        assert code == 0, output
        assert len(wire.passed) > 100_000
        readable = b"SELECT c FROM sbtest" in wire.passed
        assert readable == (one.connection.tls is None)
