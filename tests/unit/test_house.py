"""Rules of the house that no linter knows."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = TESTS.parent / "operator" / "encbench"
MESSAGES = {"message", "problem", "summary", "sentence", "why", "detail"}
"""Names of variables and attributes that hold English for people."""
METHODS = {"startswith", "endswith", "find", "index", "count", "partition", "split"}
PATTERNS = {"search", "match", "fullmatch"}
ALLOWED = {
    "adapters/kubernetes_http.py": "the API server says nowhere else which of two refusals it is",
    "core/evidence.py": "proofs of earlier releases say nowhere else what was declared",
}
"""Files that may read a message, each with the reason."""


ENGINES_BY_NAME = {
    "admission/modes.py": "the image with encrypted types is built for PostgreSQL alone"
}
"""Files that may compare an engine with a name, each with the reason."""


def test_no_control_flow_reads_a_message() -> None:
    """Programs go by reasons and kinds. A changed word in a sentence changes no behaviour."""
    found: dict[str, list[int]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        lines = list(_readings(ast.parse(path.read_text(encoding="utf-8"))))
        if lines:
            found[str(path.relative_to(PACKAGE))] = lines
    assert {file: lines for file, lines in found.items() if file not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "what needs no leave any more is not listed"


def test_the_rule_sees_what_it_forbids() -> None:
    forbidden = [
        "'noise floor' not in finding.why",
        "ON_TRUST in p.summary",
        "ON_TRUST in str(data.get('summary'))",
        "'timeout' in str(condition.get('message', '')).lower()",
        "any('there is no ' in problem for problem in problems)",
        "condition.message == 'too late'",
        "error.message[:9].lower() != WORDS",
        "why.startswith('exempt')",
        "re.search(r'gone', answer['detail'])",
        "match before.message:\n case 'x': pass",
    ]
    allowed = [
        "before.message == after.message[:4096]",
        "problem in problems",
        "problem.reason is Reason.NOT_FOUND",
        "message is None or why == ''",
        "kind in problem.kinds",
        "why = message.removesuffix('.')",
        "'a' in str(body.get('kind'))",
    ]
    assert [code for code in forbidden if not [*_readings(ast.parse(code))]] == []
    assert [code for code in allowed if [*_readings(ast.parse(code))]] == []


def test_rules_go_by_facts_about_an_engine_and_not_by_its_name() -> None:
    """Another engine of the same package would lose them."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(_of_engines(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == ENGINES_BY_NAME.keys()


def _of_engines(tree: ast.AST) -> Iterator[int]:
    """Lines that compare an engine with the name of one."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(
                left=ast.Name(id="engine") | ast.Attribute(attr="engine"),
                comparators=[ast.Constant()],
            ):
                yield node.lineno


def _readings(tree: ast.AST) -> Iterator[int]:
    """Lines that compare or search what is written in a message."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=[*rest]):
                sides = [left, *rest]
                for one, operator, other in zip(sides, ops, rest, strict=False):
                    if _reads(one, operator, other):
                        yield node.lineno
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[_, *_]) if (
                attr in METHODS and _is_message(value)
            ):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in PATTERNS:
                if any(map(_is_message, args)):
                    yield node.lineno
            case ast.Match(subject=subject) if _is_message(subject):
                yield node.lineno


def _reads(one: ast.expr, operator: ast.cmpop, other: ast.expr) -> bool:
    if isinstance(operator, ast.In | ast.NotIn):
        # A message in a list is looked up, not read.
        return _is_message(other) and not _is_message(one)
    if isinstance(operator, ast.Eq | ast.NotEq):
        # Two messages are compared to see whether there are news; an empty one says nothing.
        pair = (one, other)
        empty = any(isinstance(side, ast.Constant) and side.value == "" for side in pair)
        return any(map(_is_message, pair)) and not all(map(_is_message, pair)) and not empty
    return False


def _is_message(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in MESSAGES
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            return key in MESSAGES or _is_message(value)
        case ast.Subscript(value=value):
            return _is_message(value)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
            return key in MESSAGES
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return _is_message(value)
        case ast.Call(func=ast.Name(id="str"), args=[value]):
            return _is_message(value)
    return False


def test_public_class_names_are_unique() -> None:
    """A name that two rooms share is one wrong import away from the other's."""
    where: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


def test_no_room_is_larger_than_it_says() -> None:
    """A folder of over 16 files has a reason in its docstring, such as `18 files, because …`."""
    for folder in {path.parent for path in PACKAGE.rglob("*.py")}:
        files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if len(files) > 16:
            told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
            assert f"{len(files)} files, because" in told, f"{folder} has {len(files)} files"


def test_nothing_imports_a_test_module_or_a_conftest() -> None:
    """What several tests share has a module of its own beside them, and its name says what it is.

    A fixture of a conftest is asked for by its name.
    """
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        imported = list(_test_modules(ast.parse(path.read_text(encoding="utf-8"))))
        if imported:
            found[str(path.relative_to(TESTS))] = imported
    assert found == {}, "move what these share into modules that are neither"


def test_the_rule_sees_every_way_to_import_a_test_module() -> None:
    forbidden = [
        "from tests.unit.core.test_plan import campaign",
        "from tests.unit.core import plans, test_plan",
        "import tests.unit.core.test_plan as plans",
        "from .test_plan import campaign",
        "from . import conftest",
        "def later() -> None:\n from tests.unit.conftest import one",
    ]
    allowed = [
        "from tests.unit.core.plans import campaign",
        "from . import plans",
        "from aiohttp.test_utils import TestServer",
    ]
    assert [code for code in forbidden if not [*_test_modules(ast.parse(code))]] == []
    assert [code for code in allowed if [*_test_modules(ast.parse(code))]] == []


def _test_modules(tree: ast.AST) -> Iterator[str]:
    """Dotted names of what is imported from test modules and from conftests."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                imported = [one.name for one in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                imported = [f"{'.' * level}{module or ''}.{one.name}" for one in names]
            case _:
                continue
        for name in imported:
            parts = name.split(".")
            ours = parts[0] in ("", "tests")
            if ours and any(one == "conftest" or one.startswith("test_") for one in parts):
                yield name
