"""Help and errors, the same for every command."""

import subprocess
import sys
from pathlib import Path

import pytest

from encbench.cli.flags import parser
from encbench.cli.main import main

REPO = Path(__file__).resolve().parents[3]
COMMANDS = ("plan", "watch", "report", "compare", "audit")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: kubectl encbench {command}" in said
    assert "exit codes:" in said or command == "report"
    assert max(len(line) for line in said.splitlines()) <= 100


def test_every_command_is_in_the_overview() -> None:
    said = parser().format_help()
    assert all(f"    {command} " in said for command in COMMANDS)


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["report"], ["audit"], ["compare", "a"]])
def test_bad_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: kubectl encbench" in capsys.readouterr().err


def test_without_a_kubeconfig_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert main(["watch", "demo", "-n", "x"]) == 2
    assert "error: no cluster to talk to" in capsys.readouterr().err


def test_an_audit_waits_for_no_client_of_kubernetes() -> None:
    code = (
        "import sys; from encbench.cli.main import main; "
        "main(['audit', 'tests/data/reference/polardbx_driver_cpu.csv']); "
        "heavy = {'kubernetes', 'kopf', 'numpy', 'scipy', 'matplotlib', 'boto3'}; "
        "loaded = heavy & set(sys.modules); "
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPO,
        env={"PYTHONPATH": "operator"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
