"""Help and errors, the same for every command."""

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Awaitable, Callable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from encbench.cli.flags import parser
from encbench.cli.main import main
from encbench.core.artefact import decode
from encbench.core.evidence import TrialProofsRecord
from encbench.ports import NotNow, NotServed, Unavailable
from encbench.reconcile.objects import overhead_report

REPO = Path(__file__).resolve().parents[3]
COMMANDS = (
    *("plan", "images", "extend", "watch", "report", "open", "logs"),
    *("compare", "history", "verify", "audit"),
)
CLEAN = "tests/data/reference/polardbx_driver_cpu.csv"
CLI = REPO / "operator" / "encbench" / "cli"
META = {"name": "night", "namespace": "team", "uid": "1"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: kubectl encbench {command}" in said
    assert "exit codes:" in said or command in ("report", "open", "logs")
    assert max(len(line) for line in said.splitlines()) <= 100


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_help_where_output_is_not_utf_8(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "encbench.cli.main", "audit", "--help"],
        cwd=REPO,
        env={"PYTHONPATH": "operator", "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "loss 1 - encrypted/plain" in " ".join(done.stdout.decode(encoding).split())


def test_an_error_where_output_is_not_utf_8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "encbench.cli.main", "audit", "−1 λ.csv"],
        cwd=REPO,
        env={"PYTHONPATH": "operator", "PYTHONIOENCODING": "latin-1", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == b"error: cannot read -1 ?.csv: No such file or directory\n"


def test_every_command_is_in_the_overview() -> None:
    said = parser().format_help()
    assert all(f"    {command} " in said for command in COMMANDS)


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["report"], ["audit"], ["compare", "a"]])
def test_bad_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: kubectl encbench" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_flag_shows_the_usage_of_its_command(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    needs = {"extend": ["a", "--blocks", "3"], "compare": ["a", "b"]}.get(command, ["a"])
    with pytest.raises(SystemExit) as ended:
        main([command, *needs, "--nonsense"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"usage: kubectl encbench {command} ")
    assert said.endswith("error: unrecognized arguments: --nonsense\n")


def test_without_a_kubeconfig_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert main(["watch", "demo", "-n", "x"]) == 2
    assert "error: no cluster to talk to" in capsys.readouterr().err


def test_the_plugin_imports_what_it_installs() -> None:
    """Every module of the plugin, where nothing but its own dependencies can be imported."""
    modules = sorted(f"encbench.cli.{path.stem}" for path in CLI.glob("*.py"))
    modules += ["encbench.adapters.objectstore", "encbench.report.compare.gate"]
    own = {name.lower().replace("_", "-") for name in installed_with("encbench")}
    others = {
        module
        for module, names in metadata.packages_distributions().items()
        if not own & {name.lower().replace("_", "-") for name in names}
    }
    assert {"kubernetes", "aiohttp", "scipy", "requests"} <= others
    code = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {others!r}:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
        f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n"
    )
    run_python(code)


def run_python(code: str) -> None:
    """In an interpreter that has imported nothing yet."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPO,
        env={"PYTHONPATH": "operator"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def installed_with(name: str) -> set[str]:
    """The distributions that come with the plugin, by what each of them says it needs."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert name == project["name"]
    found: set[str] = set()
    left = [Requirement(one) for one in project["dependencies"]]
    while left:
        one = left.pop()
        if one.name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(one.name)
        left += [Requirement(more) for more in metadata.requires(one.name) or ()]
    return found


def test_it_brings_twelve_distributions_at_most() -> None:
    assert len({"encbench"} | installed_with("encbench")) <= 12


def test_an_audit_waits_for_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys; from encbench.cli.main import main; "
        f"main(['audit', '{CLEAN}']); "
        "heavy = {'yaml', 'botocore', 'scipy', 'encbench.adapters'}; "
        "loaded = heavy & set(sys.modules); "
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    run_python(code)


@pytest.mark.parametrize(
    ("closed", "code", "said"), [(True, 141, ""), (False, 2, "error: No space left on device\n")]
)
def test_output_that_nobody_takes_is_no_verdict(closed: bool, code: int, said: str) -> None:
    """A reader that has gone, or a full disk."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe, Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "encbench.cli.main", "audit", CLEAN],
            cwd=REPO,
            env={"PYTHONPATH": "operator"},
            stdout=pipe if closed else full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (code, said)


def test_what_the_machine_refuses_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(_: object) -> bytes:
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr("encbench.cli.output.read", refused)
    assert main(["audit", CLEAN]) == 2
    assert capsys.readouterr().err == "error: /some/file: Permission denied\n"


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (
            lambda: overhead_report({"kind": "OverheadReport", "metadata": META}),
            "OverheadReport night: spec.campaignRef: Field required",
        ),
        (
            lambda: decode(
                TrialProofsRecord, b'{"schema": "encbench.io/proofs/v1", "new": 1}', "a"
            ),
            "a is not a valid encbench.io/proofs/v1 record: new: this version of encbench does not "
            "know the field",
        ),
    ],
)
def test_what_another_version_wrote_asks_for_its_plugin(
    read: Callable[[], object],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def run(_: object) -> int:
        read()
        return 0

    monkeypatch.setattr("encbench.cli.main.run", run)
    assert main(["watch", "night"]) == 2
    assert capsys.readouterr().err == f"error: {said}: use the plugin of the operator's version\n"


_LEFT = """
import asyncio, os, signal, socket, sys, threading
from pathlib import Path
from encbench.adapters.objectstore import ObjectStore
from encbench.cli import connection, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
folder = Path(sys.argv.pop())
silent, accepted = socket.create_server(("127.0.0.1", 0)), []
async def run(_):
    place = f"http://127.0.0.1:{silent.getsockname()[1]}"
    store = ObjectStore(endpoint=place, bucket="b", region="us-east-1", credentials=folder)
    def end():
        accepted.append(silent.accept())
        os.kill(os.getpid(), signal.NAME)
    threading.Thread(target=end).start()
    with connection._ended_by_signals():
        print("begun")
        await store.get("key")
main.run = run
main.program()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_the_end_waits_for_no_store(name: str, code: int, tmp_path: Path) -> None:
    for key in ("access-key", "secret-key"):
        (tmp_path / key).write_text("x" * 20)
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _LEFT.replace("NAME", name), "watch", "demo", str(tmp_path)],
        cwd=REPO,
        env={"PYTHONPATH": "operator"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "begun\n", "")
    assert time.monotonic() - begun < 50


_COMPUTING = """
import os, signal, threading, time
from encbench.cli import connection, main, verify
from encbench.report.verify import verification
class Empty:
    async def list(self, prefix):
        return []
def computes(*_):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    time.sleep(60)
verification.verify = computes
async def run(_):
    with connection._ended_by_signals():
        await verify._stored(Empty(), "bench/demo", {})
main.run = run
main.program()
"""


def test_the_end_waits_for_no_report_that_is_made_again() -> None:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _COMPUTING, "verify", "demo"],
        cwd=REPO,
        env={"PYTHONPATH": "operator"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (143, "")
    assert time.monotonic() - begun < 50


def test_a_cluster_without_encbench_may_be_the_wrong_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("encbench.cli.main.run", raising(NotServed("no campaigns: apply its CRD")))
    assert main(["history"]) == 2
    said = "error: no campaigns: apply its CRD, or name another context with --context\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            Unavailable("500: dial tcp"),
            "the cluster does not answer (500: dial tcp): see that it runs, or name another "
            "context with --context",
        ),
        (NotNow("429: too many requests"), "429: too many requests"),
    ],
)
def test_a_cluster_that_does_not_answer_may_be_the_wrong_one(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("encbench.cli.main.run", raising(error))
    assert main(["report", "demo"]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"


def test_a_fault_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("encbench.cli.main.run", raising(ZeroDivisionError("a fault")))
    assert main(["compare", "a", "b", "--fail-above", "3%"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Traceback ") and "ZeroDivisionError: a fault" in said


def raising(error: Exception) -> Callable[[object], Awaitable[int]]:
    """A command that ends so."""

    async def run(_: object) -> int:
        raise error

    return run
