"""Commands of the docs: each is right, and each is run by a test or listed as not run."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.cli.main import main
from encbench.core.artefact import encode
from tests.data.report.nights import nights
from tests.support import kustomize
from tests.support.chart import REPO, helm
from tests.support.documented import Documented, commands, examples, in_blocks, mentions, problems
from tests.support.kubectl import FakeKubectl

LIST = REPO / "tests" / "data" / "docs-commands.yaml"


@dataclass(frozen=True)
class Listed:
    """Commands that are known to work, or not to be run, for one reason."""

    commands: tuple[str, ...]
    file: str = ""
    has: str = ""
    because: str = ""


@cache
def listed() -> dict[str, list[Listed]]:
    """By the headings of the list."""
    found: dict[str, Any] = yaml.safe_load(LIST.read_text(encoding="utf-8"))
    return {
        heading: [Listed(**{**entry, "commands": tuple(entry["commands"])}) for entry in entries]
        for heading, entries in found.items()
    }


def every(heading: str) -> list[str]:
    return [command for entry in listed()[heading] for command in entry.commands]


@pytest.mark.parametrize("where", [commands, mentions, examples])
def test_no_command_is_wrong(where: Callable[[], Iterable[Documented]]) -> None:
    assert len([*where()]) > 10
    wrong = {str(one): found for one in where() if (found := problems(one.text))}
    assert wrong == {}


def test_no_command_has_a_remark_behind_it() -> None:
    """Someone copies it into a zsh, as on macOS, which takes the remark for more arguments."""
    found = [*commands(), *examples()]
    assert [str(one) for one in found if re.search(r"\s#(\s|$)", one.text)] == []


def test_every_command_is_run_or_listed_as_not_run() -> None:
    known = Counter(command for heading in listed() for command in every(heading))
    found = {one.text: one for one in commands()}
    assert {str(one) for text, one in found.items() if text not in known} == set()
    assert known.keys() - found.keys() == set(), "the docs have these no more"
    assert {command for command, times in known.items() if times > 1} == set()


@pytest.mark.parametrize("entry", listed()["tests"], ids=lambda entry: entry.file)
def test_the_test_is_there_and_speaks_of_it(entry: Listed) -> None:
    assert entry.has in (REPO / entry.file).read_text(encoding="utf-8")


def test_what_is_not_run_has_a_reason() -> None:
    assert all(entry.because and not entry.file for entry in listed()["not run"])


def test_a_wrong_command_is_noticed() -> None:
    wrong = {
        "kubectl encbench plan --kustomise campaigns/demo": "unrecognized arguments",
        "kubectl encbench praise demo": "invalid choice",
        "kubectl get campains,trials": "there is no kind campains",
        "kubectl apply -k campaigns/absent": "there is no campaigns/absent",
        "kubectl wait campaign/demo --for=condition=Done": "campaign has no condition Done",
        "kubectl wait campaign/demo --for=jsonpath='{.status.done}'": "campaign has no field",
        "kubectl get ohr demo -o jsonpath='{.status.headlines}'": "ohr has no field",
        "kubectl explain workload.spec.tpc": "workload has no field",
        "kubectl label secret x encbench.io/use=keys": "encbench.io/use has no value keys",
        "kubectl get crd -o name | xargs kubectl delete campaings": "there is no kind campaings",
        "make tests": "the Makefile has no target tests",
        "make bench-aa CAMPAIGN=3": "the Makefile has no CAMPAIGN",
        "helm upgrade encbench charts/enc": "there is no chart charts/enc",
        "helm upgrade encbench charts/encbench --set minio.on=true": "the chart has no value",
        "helm template x charts/encbench --show-only templates/y.yaml": "the chart has no",
        "helm template x charts/encbench --values charts/encbench/y.yaml": "there are no values",
        "aws s3api put-bucket-policy --policy file://policy.json": "there is no policy.json",
        'pipx install ".[clie]"': "encbench has no extra clie",
        'pip install "./encbench-0.2.0-py3-none-any.whl[dat]"': "encbench has no extra dat",
        'pipx install "encbench[cli]"': "encbench is not on PyPI",
        "helm install encbench charts/encbench": "there is no global.imageRegistry",
    }
    for command, said in wrong.items():
        (found,) = problems(command)
        assert said in found, command


def test_nothing_is_installed_by_a_name_that_is_not_ours() -> None:
    """Not even by texts that are no commands: whoever takes the name on PyPI would be run."""
    words = r"pipx? install[ \\\"']+encbench"
    places = ("docs", "operator", "charts", "campaigns", "*.md")
    found = subprocess.run(
        ["git", "grep", "-nE", words, "--", *places, ":!CHANGELOG.md"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (1, ""), found


def test_a_block_s_commands_are_found_whole() -> None:
    page = """\
Text with `make help`.

    $ make test     VERBOSE=1
    not a command

```sh
helm upgrade x \\
  --set a=b
```
```yaml
kubectl: no
```
"""
    assert [(one.line, one.text) for one in in_blocks("p", page)] == [
        (3, "make test VERBOSE=1"),
        (7, "helm upgrade x --set a=b"),
    ]
    assert not list(in_blocks("p", "no code: kubectl get pods"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the checkout's folders, and with the files that the commands name."""
    place = tmp_path / "checkout"
    place.mkdir()
    for name in ("campaigns", "charts", "crds", "tests"):
        (place / name).symlink_to(REPO / name)
    for name, report in zip(
        ("old/report", "new/report", "last-week/report", "today/report", "reports/a", "reports/b"),
        nights(),
        strict=False,
    ):
        (place / name).parent.mkdir(exist_ok=True)
        (place / f"{name}.json").write_bytes(encode(report))
    demo = kustomize.built(REPO / "campaigns" / "demo")
    (place / "campaign.yaml").write_text(
        yaml.safe_dump_all(body for body in demo if body["kind"] == "Campaign")
    )
    (place / "parts.yaml").write_text(
        yaml.safe_dump_all(body for body in demo if body["kind"] != "Campaign")
    )
    (place / "demo.yaml").write_text(yaml.safe_dump_all(demo))
    _tables(place)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "helm").symlink_to(helm())
    FakeKubectl(tmp_path / "bin", monkeypatch).script(f"cat {place}/demo.yaml")
    monkeypatch.chdir(place)
    yield place


def _tables(place: Path) -> None:
    """Published tables in the shapes that docs/audit.md speaks of."""
    golden = REPO / "tests" / "data" / "report" / "expected" / "columns"
    for path in golden.glob("*.csv"):
        shutil.copy(path, place)
    (place / "published").symlink_to(REPO / "tests" / "data" / "reference")
    tables = {
        "mine": "threads,tps_off,tps_on,loss_percent\n8,1000,900,10\n16,2000,1900,5\n",
        "tps": "instance,threads,tps\nsmall,8,1000\nsmall,16,2000\n",
        "claims": "instance,threads,tps_tde,ratio\nsmall,8,900,1.111\nsmall,16,1600,1.25\n",
        "long": "threads,mode,tps,qps,ms,loss\n8,off,1000,20000,8,\n8,on,900,18000,8.9,10\n",
    }
    for name, content in tables.items():
        (place / f"{name}.csv").write_text(content)


def _found(folder: Path, word: str) -> list[str]:
    """The files that a word with a star means, as a shell finds them."""
    return sorted(str(it) for it in folder.glob(word)) if "*" in word else [word]


@pytest.mark.parametrize("command", every("here"))
def test_it_can_be_carried_out(
    command: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer may be bad (1), because published tables do contradict each other, or open (3)."""
    program, _, rest = command.partition(" ")
    if program == "kubectl" and "|" not in command:
        words = rest.split()
        assert words[0] == "encbench"
        given = [name for word in words[1:] for name in _found(checkout, word)]
        try:
            assert main(given) in (0, 1, 3), capsys.readouterr().err
        except SystemExit as ended:
            assert ended.code == 0 and words[-1] == "--help"
        assert capsys.readouterr().out
        return
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr
