"""Sentences of the docs that repeat a list or a figure of the code agree with it."""

import re
from pathlib import Path

import pytest

from encbench.engines.memory_fit import GIBIBYTE, MEBIBYTE
from encbench.engines.postgresql.settings import POOL
from encbench.kube.machines import MEMORY_SLACK
from encbench.reconcile.campaign.children import OWN_CONNECTIONS
from encbench.report.compare.likeness import _MACHINE, _ROUNDED, alike
from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.process import CpuPeriods, Reading

REPO = Path(__file__).resolve().parents[3]
CLI = REPO / "operator" / "encbench" / "cli"
ERRORS = REPO / "images/tpcc/tpcc/src/main/java/io/encbench/tpcc/run/Errors.java"
PROMETHEUS_ADDS = 5
"""Series of each target: `up` and four of the scrape itself."""


def page(name: str) -> str:
    """Its text in one line."""
    return " ".join((REPO / "docs" / name).read_text(encoding="utf-8").split())


def test_the_series_of_an_agent_are_counted() -> None:
    reading = Reading(7, 1.0, 1.0, 1, read_bytes=1, write_bytes=1, periods=CpuPeriods(9, 1))
    server = len([*metrics(lambda: reading)])
    proxy = len([*metrics(lambda: reading, proxy=lambda: reading)]) - server
    volume = len([*metrics(lambda: reading, volume=lambda: reading)]) - server
    each, nodes = server + PROMETHEUS_ADDS, 100 * 32 * 3
    text = page("scale.md")
    assert (
        f"{1000 * each:,} samples a second of 1,000 agents ({server}, and {PROMETHEUS_ADDS} that "
        f"Prometheus adds; {proxy} more with a proxy, {volume} with gocryptfs); {nodes:,} of"
    ) in text
    whole = 1000 * each + nodes
    assert f"hold {whole:,} series: {each} for each agent, and 3 for each CPU" in text
    assert f"up to 0.11 MB, so these take {0.11 * whole / 1000:.1f} GB" in text


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("Reports of unlike things are refused with 2:", "`--allow-unlike`"),
        ("Campaigns make one series where they are alike", "Any other configuration"),
    ],
)
def test_what_makes_reports_unlike_is_named(begin: str, end: str) -> None:
    said = page("plugin.md").partition(begin)[2].partition(end)[0].lower()
    decide = {name.removeprefix("Client's ") for name in _MACHINE if not alike(name, "a", "b")}
    assert len(decide) > 6
    assert [name for name in sorted(decide) if name.lower() not in said] == []


def test_how_far_memory_may_differ_is_said() -> None:
    limit = f"memory that differs by more than {100 * MEMORY_SLACK:g} % plus {_ROUNDED:g} GiB"
    assert limit in page("plugin.md")


def test_every_command_that_reads_the_store_is_among_those_that_need_rights() -> None:
    items = page("plugin.md").split(" - ")
    (item,) = [one for one in items if "the analysts' Secret, and need a port-forward" in one]
    said = item.partition("the analysts' Secret")[0]
    uses = re.compile(r"installation\.store\(|from encbench\.cli\.report import .*\bfetch\b")
    found = {path.stem for path in CLI.glob("*.py") if uses.search(path.read_text("utf-8"))}
    assert found >= {"report", "compare"}
    assert [name for name in sorted(found) if not re.search(rf"`{name}\b", said)] == []


def test_up_to_how_many_threads_postgresql_has_a_quarter_of_the_memory_is_said() -> None:
    whole = page("clients.md").partition("a quarter of the memory only up to about ")[2]
    said = re.findall(r"\d[\d,]*\d|\d", whole.partition(" or more")[0])
    numbers = [int(one.replace(",", "")) for one in said]
    assert len(numbers) == 6
    for threads, gibibytes in zip(numbers[::2], numbers[1::2], strict=True):
        memory = gibibytes * GIBIBYTE
        fewer, more = (
            POOL.default(memory, int(part * threads) + OWN_CONNECTIONS) for part in (0.95, 1.05)
        )
        assert fewer == f"{memory // 4 // MEBIBYTE}MB" != more


def test_how_many_kinds_of_errors_have_a_line_is_said() -> None:
    code = ERRORS.read_text(encoding="utf-8")
    (most,) = re.findall(r"MOST_KINDS = (\d+);", code)
    (others,) = re.findall('OTHERS = "(.+)";', code)
    said = f"Kinds beyond the first {most} have no line and are counted together, as `{others}`"
    assert said in page("tpcc.md")
