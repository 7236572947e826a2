"""What counts as a difference between two dumps, the place it gets, and what explains it."""

import json
from pathlib import Path

import pytest

from tests.revisions import differences
from tests.revisions.differences import ABSENT, Difference, Explanation, alike, compare, split

Files = dict[str, str]


def found(folder: Path, before: Files, after: Files) -> list[Difference]:
    for side, files in (("before", before), ("after", after)):
        for name, content in files.items():
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        (folder / side).mkdir(exist_ok=True)
    return compare(folder / "before", folder / "after")


def changed(folder: Path, name: str, before: str, after: str) -> list[tuple[str, str, str]]:
    return [
        (one.place, one.before, one.after)
        for one in found(folder, {name: before}, {name: after})
        if one.file == name
    ]


def test_the_same_files_do_not_differ(tmp_path: Path) -> None:
    files = {"a/b.json": '{"x": 1}', "c.md": "text\n"}
    assert found(tmp_path, files, files) == []


def test_a_file_of_one_side_alone(tmp_path: Path) -> None:
    assert found(tmp_path, {"a/old.json": "{}"}, {"new.md": "three"}) == [
        Difference("a/old.json", "", "2 bytes", ABSENT),
        Difference("new.md", "", ABSENT, "5 bytes"),
    ]


def test_a_field_is_found_by_the_names_on_the_way_to_it(tmp_path: Path) -> None:
    def pod(*containers: tuple[str, int]) -> str:
        return json.dumps({"spec": {"containers": [{"name": n, "cpu": c} for n, c in containers]}})

    old, new = pod(("server", 1), ("agent", 2)), pod(("server", 1), ("proxy", 4), ("agent", 3))
    assert changed(tmp_path, "x.json", old, new) == [
        ("spec.containers[agent].cpu", "2", "3"),
        ("spec.containers[proxy]", ABSENT, '{"name": "proxy", "cpu": 4}'),
        ("spec.containers (order)", "[server] [agent]", "[server] [proxy] [agent]"),
    ]


def test_items_without_names_are_numbered(tmp_path: Path) -> None:
    assert changed(tmp_path, "x.json", '{"a": [1, 2, 3]}', '{"a": [1, 5]}') == [
        ("a[1]", "2", "5"),
        ("a[2]", "3", ABSENT),
    ]


@pytest.mark.parametrize(("old", "new"), [("1", "1.0"), ("0", "false"), ('"1"', "1")])
def test_values_of_another_type_differ(tmp_path: Path, old: str, new: str) -> None:
    assert changed(tmp_path, "x.json", f'{{"a": {old}}}', f'{{"a": {new}}}') == [("a", old, new)]


def test_the_same_content_in_other_bytes_differs(tmp_path: Path) -> None:
    assert changed(tmp_path, "x.json", '{"a": 1}', '{"a":1}') == [
        ("(layout) line 1", '{"a": 1}', '{"a":1}')
    ]


def test_a_cell_of_a_table(tmp_path: Path) -> None:
    old, new = "arm,tps\nplain,10\ntde,9\n", "arm,tps\nplain,10\ntde,8\n"
    assert changed(tmp_path, "x.csv", old, new) == [("[1].tps", '"9"', '"8"')]


def test_lines_of_a_text_and_of_a_field(tmp_path: Path) -> None:
    old, new = "one\ntwo\nthree\n", "one\n2\nthree\nfour\n"
    expected = [("line 2", "two", "2"), ("line 4", ABSENT, "four")]
    assert changed(tmp_path, "x.md", old, new) == expected
    fields = (json.dumps({"server.cnf": text}) for text in (old, new))
    found = changed(tmp_path, "x.json", *fields)
    assert found == [(f"server.cnf {place}", a, b) for place, a, b in expected]


WORD = Difference("worlds/x/objects/Trial/t/status.json", "conditions[Ready].message", "a", "b")


def test_an_explanation_covers_what_it_names_and_nothing_else() -> None:
    why = Explanation("other words", place=r"conditions\[\w+\]\.message", before="a")
    others = [
        Difference(WORD.file, "phase", "a", "b"),
        Difference(WORD.file, f"{WORD.place}s", "a", "b"),
        Difference(WORD.file, WORD.place, "A", "b"),
    ]
    unused = Explanation("never seen", file="reports/.*")
    assert split([WORD, *others, WORD], [unused, why]) == (others, {unused: 0, why: 2})


@pytest.mark.parametrize(
    ("after", "covered"),
    [
        ("TPS falls by 7.8 % [6.1, 9.4]", True),
        ("[6.1, 9.4]: by 7.8 %", True),
        ("TPS falls by 7.9 % [6.1, 9.4]", False),
        ("TPS falls by 7.8 %", False),
    ],
)
def test_an_explanation_of_other_words_covers_no_other_figures(after: str, covered: bool) -> None:
    before = "7.8 % [6.1, 9.4] of TPS"
    why = Explanation("other words", file="report.md", same_figures=True)
    assert why.covers(Difference("report.md", "line 1", before, after)) is covered


@pytest.mark.parametrize("text", ["- reason: ' '\n  file: x", "- reason: everything"])
def test_an_explanation_has_a_reason_and_a_place(tmp_path: Path, text: str) -> None:
    file = tmp_path / "explained.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match="write a reason, and what it explains"):
        differences.read(file)


def test_the_explanations_of_this_tree_can_be_read() -> None:
    differences.read(Path(differences.__file__).with_name("explained.yaml"))


def test_differences_of_the_same_kind_form_a_group() -> None:
    def image(world: str, kind: str, number: int, container: str) -> Difference:
        file = f"worlds/{world}/objects/{kind}/name-{number}/{number:02}-apply.json"
        return Difference(file, f"spec.containers[{container}].image", "1", "2")

    pods = [image("x", "StatefulSet", 1, "agent"), image("y", "StatefulSet", 2, "server")]
    job = image("x", "Job", 1, "tool")
    assert alike([pods[0], job, pods[1]]) == [pods, [job]]
