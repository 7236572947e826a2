"""The rules of the prose linter: what each finds, and what all of them leave alone."""

import subprocess
from pathlib import Path

import pytest

from tests import prose

REPO = Path(__file__).resolve().parents[2]

BAD = {
    "Nobody": "Somebody else's, to be renamed; nobody can stop it.",
    "For": "The base has no default, for there is no official image.",
    "Tell": "A server that goes away is told to the client at once.",
    "Of": "This is one more object that a user has to take care of.",
    "Shall": "Its spread fixes how many there shall be.",
    "Idiom": "Two published studies lie ready.",
    "LineLength": "word " * 21,
}

GOOD = f"""# A page

The sidecar waits for the server, because there is no other way to know its state. It gets its
answer on the next pass, and an exemption is one of these: a log, or a place without a file.

| a table | may be wider |
|---|---|
| {"x" * 120} | `nobody` |

    {"code" * 30}, for it is code

```
{"code" * 30}, as nobody is told
```
"""


def findings(file: Path) -> list[str]:
    """The names of the rules that a file breaks."""
    done = subprocess.run(
        [prose.vale(), *prose.OPTIONS, f"--config={REPO / '.vale.ini'}", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=file.parent,
    )
    assert bool(done.returncode) == bool(done.stdout), done.stderr
    return [line.split(":")[3].removeprefix("encbench.") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("rule", BAD)
def test_each_rule_finds_its_mistake(tmp_path: Path, rule: str) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"{BAD[rule]}\n")
    assert set(findings(file)) == {rule}


def test_good_prose_tables_and_code_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(GOOD)
    assert findings(file) == []


def test_docstrings_and_comments_are_prose_and_strings_are_not(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        '"""Nobody reads this."""\n\n# ``nobody`` shall.\nname = "nobody is told"\n',
        encoding="utf-8",
    )
    assert sorted(findings(file)) == ["Nobody", "Shall"]


def test_every_rule_has_its_mistake_here() -> None:
    rules = {file.stem for file in (REPO / ".vale/styles/encbench").glob("*.yml")}
    assert rules == set(BAD)
