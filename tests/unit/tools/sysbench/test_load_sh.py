"""The loader by itself, with a script in sysbench's place."""

import subprocess
from pathlib import Path

import pytest

from tests.support.shells import SHELLS

SCRIPT = Path(__file__).parents[4] / "operator/encbench/tools/sysbench/load.sh"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("tool", "code"),
    [
        pytest.param("exit 0", 0, id="fine"),
        pytest.param('[ "$1" = prepare ]', 0, id="no cleanup"),
        pytest.param('[ "$1" = cleanup ] || exit 5', 5, id="prepare fails"),
        pytest.param('[ "$1" = cleanup ] || echo "FATAL: no" >&2', 1, id="prepare fails with 0"),
        pytest.param('[ "$1" = prepare ] || echo "FATAL: no"', 0, id="cleanup fails with 0"),
        pytest.param("printf unfinished", 0, id="an unfinished line"),
        pytest.param("printf unfinished; exit 5", 5, id="fails with an unfinished line"),
        pytest.param("printf 'unfinished FATAL: no'", 1, id="an unfinished line of an error"),
        pytest.param("printf unfinished; echo FATAL: no", 1, id="an error on an unfinished line"),
    ],
)
def test_exit_code(shell: list[str], tool: str, code: int) -> None:
    words = [*shell, str(SCRIPT), "sh", "-c", f'echo "did $1"; {tool}', "sysbench"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == code
    assert "did cleanup" in done.stdout
    assert "did prepare" in done.stdout
    assert "exit code" not in done.stdout
    assert done.stdout.count("unfinished") == 2 * tool.count("unfinished")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("tool", "code"), [("exit 0", 7), ("exit 5", 5)])
def test_what_follows_a_load(shell: list[str], tool: str, code: int) -> None:
    """As jobs.py appends it: only after a load that succeeded, with an exit code of its own."""
    script = f"{SCRIPT.read_text()}step sh -c 'echo followed; exit 7'\n"
    words = [*shell, "-c", script, "load.sh", "sh", "-c", tool, "sysbench"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == code
    assert ("followed" in done.stdout) == (tool == "exit 0")
