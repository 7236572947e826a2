"""The attacks in docs/faults.md: each test that is named is there, and runs where it says."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
PAGE = (REPO / "docs" / "faults.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+ \|", line)
]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ON_A_CLUSTER = ("tests/attacks/", "tests/e2e/", "tests/e2e_nodes/", "tests/faults/")


@cache
def module(path: str) -> ast.Module:
    return ast.parse((REPO / path).read_text(encoding="utf-8"))


def is_full(path: str, name: str) -> bool:
    """Whether a test belongs to `make test-full` alone; an error if there is none of that name."""
    marks = []
    for node in module(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks.append(ast.unparse(node.value))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            marks += [ast.unparse(one) for one in node.decorator_list]
            return any("pytest.mark.full" in mark for mark in marks)
    raise AssertionError(f"{path} has no {name}")


def test_there_are_fifteen() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 16))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_is_shown_by_tests_that_run_where_the_table_says(row: list[str]) -> None:
    _, _, cluster, besides = row
    quick, _, full = cluster.partition("full: ")
    for cell, expected in ((quick, False), (full, True)):
        for path, name in NAMED.findall(cell):
            assert path.startswith(ON_A_CLUSTER)
            # Of the tests on several nodes, `make test` has none of these.
            assert is_full(path, name) == expected or path.startswith("tests/e2e_nodes/"), name
    for path, name in NAMED.findall(besides):
        assert not path.startswith(ON_A_CLUSTER)
        assert not is_full(path, name)
    assert NAMED.search(cluster) or NAMED.search(besides)


def test_every_attack_is_in_the_table() -> None:
    listed = {name for row in ROWS for path, name in NAMED.findall(row[2])}
    files = (REPO / "tests" / "attacks").glob("test_*.py")
    written = {
        node.name
        for file in files
        for node in module(str(file.relative_to(REPO))).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert written <= listed
    assert "exchangedValuesOfOneTypeAreRefused" in PAGE
    java = REPO / "images/tpcc/encjdbc/src/test/java/io/encbench/jdbc/ResultsTest.java"
    assert "void exchangedValuesOfOneTypeAreRefused()" in java.read_text(encoding="utf-8")
