"""Completion: what kubectl is answered for the words typed so far."""

from pathlib import Path

import pytest

from encbench.cli.complete import FILES, NO_FILES, complete, main
from tests.support.kubectl import FakeKubectl


@pytest.mark.parametrize(
    ("typed", "offered", "directive"),
    [
        ("re", ["report"], NO_FILES),
        ("report --o", ["--open", "--output"], NO_FILES),
        ("report demo --output ", ["csv", "html", "json", "md", "text"], NO_FILES),
        ("report -o h", ["html"], NO_FILES),
        ("nonsense x", [], NO_FILES),
        ("audit a.csv ", [], FILES),
        ("verify demo ", [], NO_FILES),
        ("plan -f ", [], FILES),
        ("history -f ", [], FILES),
        ("history --figure rec", ["recovery"], NO_FILES),
        ("report --kubeconfig ", [], FILES),
        ("extend demo --blocks ", [], NO_FILES),
        ("report demo --open ", [], NO_FILES),
    ],
)
def test_words_flags_and_choices(typed: str, offered: list[str], directive: int) -> None:
    assert complete(typed.split(" ")) == (offered, directive)


def test_every_command_is_offered() -> None:
    assert {"plan", "watch", "report", "open", "logs", "compare", "--help"} <= {*complete([""])[0]}


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("report --context lab de", "get campaigns.encbench.io --output=name --context lab"),
        ("report demo -n de", "get namespaces --output=name"),
        ("compare -n bench demo de", "get overheadreports.encbench.io --output=name -n bench"),
        ("verify de", "get overheadreports.encbench.io --output=name"),
        ("history first de", "get overheadreports.encbench.io --output=name"),
        ("history --since de", "get overheadreports.encbench.io --output=name"),
        ("watch --context de", "config get-contexts --output=name"),
    ],
)
def test_names_come_from_the_cluster(
    typed: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubectl = FakeKubectl(tmp_path, monkeypatch)
    listed = "demo\\nother" if "config" in asked else "kind/demo\\nkind/other"
    kubectl.script(f'echo "$@" > "$0.args"; printf "{listed}\\n"')
    assert complete(typed.split(" "))[0] == ["demo"]
    assert kubectl.calls == [asked.split(" ")]


def test_without_a_cluster_nothing_is_offered_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["report", ""]) == 0
    assert capsys.readouterr().out == ":4\n"
