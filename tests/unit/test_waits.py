"""docs/waits.md lists every wait of the operator with its deadline, as the code has it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from inspect import signature
from pathlib import Path

import pytest
from pydantic.alias_generators import to_snake

from encbench.__main__ import PARTING_ATTEMPTS
from encbench.adapters import agent, recorder, sidecar
from encbench.adapters.kubeclient import ClientTransport
from encbench.adapters.prometheus import Prometheus
from encbench.adapters.s3 import S3Limits
from encbench.api.campaign import StepDeadlines
from encbench.handlers import kopf_settings
from encbench.reconcile import election, farewell, loop, nodes, services
from encbench.reconcile.background import LIMIT
from encbench.reconcile.campaign.cleanup import GIVE_UP
from encbench.reconcile.campaign.decide import IDLE, RESOLVE_AGAIN, RESOLVE_SELDOM
from encbench.reconcile.campaign.decision import ARRIVES_WITHIN
from encbench.reconcile.draft import PATIENCE
from encbench.reconcile.effects.testbed import ROUND_PAUSE
from encbench.reconcile.queue import MAX_DELAY
from encbench.reconcile.testbed import failed
from encbench.reconcile.trial.decision import UPLOAD_AFTER_FAILURE

REPO = Path(__file__).resolve().parents[2]
ROOM = REPO / "operator" / "encbench" / "reconcile"
PAGE = (REPO / "docs" / "waits.md").read_text(encoding="utf-8")
LATER = ("LOOK_AGAIN",)
"""Names of what a function without a Decision returns to be called again."""


def rows() -> dict[str, list[str]]:
    """The cells of each step by function."""
    found = {}
    for line in PAGE.partition("## Beside the passes")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch("`[a-z_.]+`", cells[0]):
            found[cells[0].strip("`")] = cells[1:]
    return found


@cache
def functions() -> tuple[tuple[str, ast.AST], ...]:
    return tuple(_functions())


def _functions() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(ROOM.rglob("*.py")):
        module = ".".join(path.relative_to(ROOM).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{module}.{node.name}", node


def waits(function: ast.AST) -> bool:
    """Whether it decides to look again later, and not at once."""
    for node in ast.walk(function):
        match node:
            case ast.Call(keywords=keywords):
                given = [one.value for one in keywords if one.arg == "requeue"]
                if given and not (isinstance(given[0], ast.Constant) and not given[0].value):
                    return True
            case ast.Return(value=ast.Name(id=name)) if name in LATER:
                return True
    return False


def reads(function: ast.AST) -> set[str]:
    """The attributes that it names."""
    return {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}


def test_every_wait_is_listed() -> None:
    assert {name for name, one in functions() if waits(one)} == rows().keys()


@pytest.mark.parametrize("code", ["decide(requeue=1.0)", "decide(requeue=wait)"])
def test_a_wait_is_seen(code: str) -> None:
    assert waits(ast.parse(code))
    assert not waits(ast.parse("decide(requeue=0.0)"))


def calls(function: ast.AST) -> set[str]:
    """The plain functions that it calls."""
    nodes = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


@pytest.mark.parametrize("name", rows())
def test_a_wait_has_the_deadline_of_its_row(name: str) -> None:
    """The function reads it, or one of its module that it calls, or the one that is named."""
    deadline = rows()[name][1]
    known = dict(functions())
    module = name.rpartition(".")[0]
    readers = {name} | {f"{module}.{one}" for one in calls(known[name])}
    readers |= set(re.findall("`([a-z_]+[.][a-z_]+[.][a-z_]+)`", deadline))
    read = set().union(*(reads(known[one]) for one in readers if one in known))
    wanted = {to_snake(field) for field in re.findall("`stepDeadlines[.]([a-zA-Z]+)`", deadline)}
    assert wanted <= read
    assert wanted or re.match(r"none: .|\d+ s", deadline), "it has none, and says not why"


def test_every_deadline_of_a_step_is_that_of_a_wait() -> None:
    deadlines = " ".join(cells[1] for cells in rows().values())
    listed = {to_snake(field) for field in re.findall("stepDeadlines[.]([a-zA-Z]+)", deadlines)}
    assert listed == StepDeadlines.model_fields.keys()


SLEEPS = ("sleep", "wait", "wait_for", "timeout")
"""What `asyncio` has to wait with."""
ELSEWHERE = ("sidecars", "cli", "adapters/kubectl.py")
"""Programs of their own: in pods that the operator ends, and on a person's machine."""


def sleeps(function: ast.AST) -> bool:
    """Whether it waits by asyncio for anything but its next turn."""
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="asyncio"), attr=attr), args=[first, *_]
            ) if attr in SLEEPS:
                return not (isinstance(first, ast.Constant) and first.value == 0)
    return False


def beside() -> dict[str, list[str]]:
    """The cells of each function of the second table."""
    table = PAGE.partition("## Beside the passes")[2].partition("## Requests")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0].strip("`"): row[1:] for row in rows if row[0].startswith("`")}


def test_every_other_wait_is_listed() -> None:
    package = REPO / "operator" / "encbench"
    found = set()
    for path in package.rglob("*.py"):
        own = str(path.relative_to(package))
        if own.startswith(ELSEWHERE):
            continue
        module = own.removesuffix(".py").replace("/", ".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and sleeps(node):
                found.add(f"{module}.{node.name}")
    assert found == beside().keys()
    for name, cells in beside().items():
        assert cells[2], f"{name} says not for how long in all"


def test_they_wait_as_long_as_the_page_says() -> None:
    at_a_time = {name: cells[1] for name, cells in beside().items()}
    assert at_a_time["reconcile.farewell.let_forgotten_go"] == f"{farewell.AGAIN_SECONDS:.0f} s"
    assert at_a_time["reconcile.election.run"] == f"{election.AGAIN:.0f} s"
    for name in ("_in_time", "resign"):
        assert at_a_time[f"reconcile.election.{name}"] == f"{election.PATIENCE:.0f} s"
    assert election.SOON == 1.0
    assert "the next attempt comes a second later" in PAGE
    assert at_a_time["adapters.sidecar._content"] == f"{sidecar.READ_SECONDS:.0f} s"
    assert at_a_time["reconcile.effects.testbed._rest"] == f"{ROUND_PAUSE:.0f} s"
    assert at_a_time["reconcile.loop._sweep"] == f"{loop.SWEEP_SECONDS:.0f} s"
    assert at_a_time["reconcile.nodes.keep"] == f"{nodes.TEND:.0f} s"
    usual, soon = (f"{seconds:.0f} s" for seconds in (services.PERIOD, services.SOON))
    assert at_a_time["reconcile.services.watch"] == f"{usual}, or {soon} while one is away"
    assert at_a_time["reconcile.services.look"] == f"{services.LIMIT:.0f} s"
    assert f"a refused campaign are looked at every {RESOLVE_AGAIN:.0f} s at first" in PAGE
    assert f"the more seldom, but every {RESOLVE_SELDOM:.0f} s" in PAGE
    assert f"may be missing for {ARRIVES_WITHIN:.0f} s until `Stalled`" in PAGE
    assert f"{failed.KEPT / 3600:.0f} hours after" in rows()["testbed.failed.rest"][1]
    assert beside()["__main__.part"][2] == f"{PARTING_ATTEMPTS} attempts"


def test_a_standby_takes_over_as_soon_as_the_docs_say() -> None:
    """A Lease may be renewed just before its holder is lost, and be seen one look later."""
    operating, values = (
        " ".join((REPO / path).read_text(encoding="utf-8").replace("#", "").split())
        for path in ("docs/operating.md", "charts/encbench/values.yaml")
    )
    assert election.LASTS + 2 * election.AGAIN <= 15
    assert "another pod takes over within 15 s when the node of the first one is lost" in operating
    assert "another one takes over within 15 s when a node is lost" in values
    assert election.AGAIN == 2.0
    assert "and within two seconds at an upgrade or a drain" in operating
    assert election.ACTS == 7.0
    assert "more than seven seconds in which the API server answered" in " ".join(PAGE.split())


def test_the_requests_end_when_the_page_says() -> None:
    table = dict(re.findall(r"^\| ([^`|]+?) \| ([^|]+?) \|$", PAGE, re.MULTILINE))
    limits, settings = S3Limits(), kopf_settings()

    def seconds(of: type) -> str:
        return f"{signature(of).parameters['timeout'].default:.0f} s"

    assert table["API server"] == seconds(ClientTransport)
    assert table["API server, watches"].startswith(f"{settings.watching.server_timeout} s")
    assert table["agent, to connect"] == f"{sidecar.CONNECT_SECONDS:.0f} s"
    again = "agent or recorder whose last answer did not come in time, to connect"
    assert table[again] == f"{sidecar.AGAIN_SECONDS:.0f} s"
    assert table["agent, ordinary"] == f"{agent.QUICK_SECONDS:.0f} s"
    assert table["agent, about a stop of its server on purpose"] == f"{agent.STOP_SECONDS:.0f} s"
    assert table["agent, until the server is at rest"] == f"{agent.SETTLE_SECONDS:.0f} s"
    assert table["agent, full scan for a proof"] == "`stepDeadlines.proof`"
    assert table["recorder"] == f"{recorder.SECONDS:.0f} s"
    assert table["Prometheus"] == seconds(Prometheus)
    asked = f"object store and Prometheus, every {services.PERIOD:.0f} s, whether they answer"
    assert table[asked] == f"{services.LIMIT:.0f} s"
    assert services.PERIOD + services.LIMIT + IDLE <= 30
    assert table["object store"] == (
        f"{limits.attempts} attempts of {limits.connect_seconds} s to connect and "
        f"{limits.read_seconds} s without a byte"
    )
    assert f"at most {MAX_DELAY:.0f} s apart" in PAGE
    assert (GIVE_UP, UPLOAD_AFTER_FAILURE, LIMIT, PATIENCE) == (300.0, 60.0, 8, 5.0)
