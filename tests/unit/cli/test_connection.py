"""The way to a cluster by kubectl: what it is asked, and what is said when it gives up."""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from encbench.adapters import kubectl as adapter
from encbench.api.kinds import CAMPAIGN
from encbench.cli import connection
from encbench.cli.connection import connected
from encbench.cli.output import CommandError
from tests.support.kubectl import FakeKubectl

OPERATOR = Path(__file__).resolve().parents[3] / "operator"


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return FakeKubectl(tmp_path, monkeypatch)


def arguments(**given: str | None) -> argparse.Namespace:
    return argparse.Namespace(**{"namespace": None, "context": None, "kubeconfig": None, **given})


@pytest.mark.parametrize(
    ("own", "asked", "given", "found"),
    [
        ("bench", None, None, "bench"),
        ("", None, None, "default"),
        ("bench", "other", None, "other"),
        ("bench", "other", "third", "third"),
    ],
)
async def test_the_namespace_named_nearest_is_taken(
    own: str, asked: str | None, given: str | None, found: str, kubectl: FakeKubectl
) -> None:
    kubectl.answer(namespace=own)
    async with connected(arguments(namespace=asked), given) as (_, namespace):
        assert namespace == found


async def test_without_unix_sockets_it_says_where_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr("socket.AF_UNIX")
    with pytest.raises(CommandError, match="run it on Linux, on macOS, or in WSL"):
        async with connected(arguments()):
            pass


async def test_requests_go_through_the_proxy_of_the_chosen_context(kubectl: FakeKubectl) -> None:
    kubectl.answer()
    async with connected(arguments(context="lab", kubeconfig="/k")) as (cluster, _):
        seen = await cluster.get(CAMPAIGN, "ns", "a b")
    where = "/apis/encbench.io/v1alpha1/namespaces/ns/campaigns/a%20b"
    assert seen is not None and seen["metadata"]["name"] == where
    chosen = ["--context=lab", "--kubeconfig=/k"]
    assert sorted(call[0] for call in kubectl.calls) == ["config", "proxy"]
    assert all(set(chosen) <= set(call) for call in kubectl.calls)


async def test_what_a_program_for_credentials_asks_is_shown(
    kubectl: FakeKubectl, capfd: pytest.CaptureFixture[str]
) -> None:
    kubectl.script(
        'test "$1" = config && { echo bench; exit 0; }\n'
        "echo serving; sleep 0.2; echo 'E1127 03:18:04.595885 26162 proxy_server.go:147] no' >&2\n"
        "echo 'enter the code ABCD' >&2; exec sleep 60"
    )
    async with connected(arguments()):
        said = ""
        for _ in range(400):
            said += capfd.readouterr().err
            if "ABCD" in said:
                break
            await asyncio.sleep(0.05)
    assert said == "enter the code ABCD\n"


@pytest.mark.parametrize("broken", ["config", "proxy"])
async def test_a_kubectl_that_gives_up_is_quoted_once(
    broken: str,
    kubectl: FakeKubectl,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(adapter, "_LAST_WORDS_SECONDS", 20.0)
    works = 'test "$1" = config || echo serving; exec sleep 60'
    if broken == "proxy":
        works = 'test "$1" = config && exit 0'
    kubectl.script(f'test "$1" = {broken} && {{ echo "not today" >&2; exit 1; }}\n{works}')
    with pytest.raises(CommandError, match=r"no cluster to talk to: .*not today"):
        async with connected(arguments()):
            pass
    assert capfd.readouterr().err == ""


async def test_what_was_shown_is_not_quoted(
    kubectl: FakeKubectl, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(adapter, "_LAST_WORDS_SECONDS", 0.05)
    kubectl.script('test "$1" = config && exit 0\necho "enter the code ABCD" >&2; sleep 2; exit 1')
    with pytest.raises(CommandError, match="kubectl proxy failed: it says why above"):
        async with connected(arguments()):
            pass
    assert capfd.readouterr().err == "enter the code ABCD\n"


@pytest.mark.parametrize(
    ("variable", "account", "wanted"),
    [
        ("team-a", "team-b", "team-a"),
        ("", "team-b\n", "team-b"),
        (None, "team-b", "team-b"),
        (None, "", "default"),
        (None, None, "default"),
    ],
)
async def test_in_a_pod_there_is_no_kubeconfig(
    variable: str | None,
    account: str | None,
    wanted: str,
    kubectl: FakeKubectl,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """And the namespace is the one that kubectl would take."""
    kubectl.script('test "$1" = config && exit 1; echo serving; exec sleep 60')
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.delenv("POD_NAMESPACE", raising=False)
    if variable is not None:
        monkeypatch.setenv("POD_NAMESPACE", variable)
    monkeypatch.setattr(connection, "_ACCOUNT", tmp_path)
    if account is not None:
        (tmp_path / "namespace").write_text(account)
    async with connected(arguments()) as (_, namespace):
        assert namespace == wanted


@pytest.mark.parametrize(
    ("own", "port", "token", "wanted"),
    [
        ("", "443", True, "team-b"),
        ("bench", "443", True, "bench"),
        ("", "", True, "default"),
        ("", "443", False, "default"),
    ],
)
async def test_in_a_pod_a_kubeconfig_may_name_no_namespace(
    own: str,
    port: str,
    token: bool,
    wanted: str,
    kubectl: FakeKubectl,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    kubectl.answer(namespace=own)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.delenv("POD_NAMESPACE", raising=False)
    monkeypatch.setattr(connection, "_ACCOUNT", tmp_path)
    (tmp_path / "namespace").write_text("team-b")
    if token:
        (tmp_path / "token").write_text("")
    async with connected(arguments()) as (_, namespace):
        assert namespace == wanted


_SIGNALLED = """
import argparse, asyncio, contextlib, os, signal
from encbench.cli.connection import connected
args = argparse.Namespace(namespace=None, context=None, kubeconfig=None)
async def command():
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(connected(args))
        os.kill(os.getpid(), signal.{})
        await asyncio.sleep(1)
asyncio.run(command())
"""


async def test_what_kubectl_started_delays_no_end(kubectl: FakeKubectl, tmp_path: Path) -> None:
    """A program for credentials holds kubectl's standard error while it waits for the user."""
    started = tmp_path / "started"
    kubectl.script(
        'test "$1" = config && { echo bench; exit 0; }\n'
        f"sleep 30 & echo $! > {started}; echo serving; wait"
    )
    async with connected(arguments()):
        begun = time.monotonic()
    os.kill(int(started.read_text()), signal.SIGKILL)
    assert time.monotonic() - begun < 20


async def test_a_silent_kubectl_delays_no_end(kubectl: FakeKubectl, tmp_path: Path) -> None:
    """Some programs named kubectl log in before they do anything."""
    started = tmp_path / "started"
    kubectl.script(f"echo x >> {started}; exec sleep 30")

    async def connect() -> None:
        async with connected(arguments()):
            pass

    task, begun = asyncio.create_task(connect()), time.monotonic()
    for _ in range(400):
        if started.exists() and started.read_text().count("x") == 2:
            break
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("name", "ignored", "code"),
    [("SIGTERM", False, 143), ("SIGHUP", False, 129), ("SIGHUP", True, 0)],
)
def test_a_signal_leaves_no_kubectl_and_no_folder(
    name: str, ignored: bool, code: int, kubectl: FakeKubectl, tmp_path: Path
) -> None:
    pids, folders = tmp_path / "pids", tmp_path / "folders"
    folders.mkdir()
    kubectl.script(
        f'test "$1" = config && {{ echo bench; exit 0; }}\n'
        f"echo $$ >> {pids}; echo serving; exec sleep 60"
    )
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _SIGNALLED.format(name)],
            env={**os.environ, "PYTHONPATH": str(OPERATOR), "TMPDIR": str(folders)},
            capture_output=True,
            check=False,
        )
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (ended.returncode, ended.stderr) == (code, b"")
    assert not list(folders.iterdir())
    started = pids.read_text().split()
    assert len(started) == 2
    assert not [pid for pid in started if Path("/proc", pid).exists()]
