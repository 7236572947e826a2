"""The page in a real browser: silent, self-contained, nothing cut off, its figures the JSON's.

Screenshots lie in build/pages afterwards, to be looked at.
"""

import json
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from encbench.core.artefact import encode
from encbench.report.formats.page import page
from tests.data.report.golden import FOLDER, HOP, known, report_of
from tests.data.report.synthetic import Study
from tests.support.browser import Page, browser

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHOTS = Path(__file__).resolve().parents[3] / "build" / "pages"
STUDIES = {
    "clear": Study(
        name="clear",
        blocks=4,
        seconds=20,
        loss={"tde": 0.08, "tls": 0.02},
        fail={(16, 2, "tde"): ("Invalid", "ProofFailed")},
    ),
    "noisy": Study(name="noisy", noise=0.06, blocks=4, concurrency=(4,), colocated=True),
    "columns": Study(
        name="columns",
        blocks=4,
        seconds=20,
        baseline={"columns": {**HOP, "ratio": 0}},
        loss={"all": 0.15, "direct": -0.07},
        modes={"all": {"columns": {**HOP, "ratio": 100}}, "direct": {}},
        proxy={"plain": 0.4, "plain-control": 0.4, "all": 0.6},
    ),
    "turns": Study(
        name="turns",
        blocks=1,
        rounds=20,
        solo=3,
        concurrency=(64,),
        noise=0.004,
        loss={"tde": 0.08, "columns": 0.3},
        background={"tde": 0.05},
    ),
    "empty": Study(name="empty", blocks=2, always={"tde": ("Invalid", "ProofFailed")}),
}
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
SHEETS = {"Letter": 279.4, "A4": 297.0}
"""Millimetres of the longer side; the page asks for it."""
TOO_WIDE = """
[...document.querySelectorAll('table')]
  .map(table => [table.caption.innerText, table.getBoundingClientRect().right - innerWidth])
  .filter(([_, beyond]) => beyond > 0)
"""
INKS = """
[...new Set([...document.querySelectorAll('svg :is(path, use, text)')]
  .filter(shape => !shape.closest('defs'))
  .map(shape => getComputedStyle(shape).fill))]
"""
TABLES = """
[...document.querySelectorAll('table')].map(table => ({
  caption: table.caption.innerText,
  heads: [...table.tHead.rows].pop().innerText.split('\\t').map(head => head.trim()),
  rows: [...table.tBodies].flatMap(body => [...body.rows])
    .map(row => [...row.cells].map(cell => cell.innerText.trim())),
}))
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab() -> AsyncIterator[Page]:
    async with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, dict[str, Any]]]:
    """URL of the page and content of report.json, by study."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, study in STUDIES.items():
        report = report_of(study)
        path = folder / f"{name}.html"
        path.write_text(page(report), encoding="utf-8")
        found[name] = (path.as_uri(), json.loads(encode(report)))
    return found


# The noisy one has the plots and tables of the clear one.
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.full] if n == "noisy" else []) for n in STUDIES]
)
async def test_it_is_silent_and_needs_nothing_but_itself(
    name: str, tab: Page, reports: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    url, _ = reports[name]
    SHOTS.mkdir(parents=True, exist_ok=True)
    for width, scheme in LOOKS:
        await tab.look(width=width, height=900, scheme=scheme)
        await tab.open(url)
        assert tab.heard.console == []
        assert tab.heard.requests == [url]
        wide = await tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"at {width} pixels the page itself scrolls sideways"
        (SHOTS / f"{name}-{scheme}-{width}.png").write_bytes(await tab.screenshot())


async def test_the_browser_would_say_what_is_wrong(tab: Page, tmp_path: Path) -> None:
    """What the other tests look for is there when a page does it."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<img src='file:///nowhere/at/all.png'><script>console.log('hello'); throw 1</script>"
    )
    await tab.open(path.as_uri())
    assert len(tab.heard.requests) == 2
    assert any("hello" in line for line in tab.heard.console)
    assert any("exception" in line for line in tab.heard.console)


async def test_light_dark_and_print(
    tab: Page, reports: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    url, _ = reports["clear"]
    papers = {}
    for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print")):
        await tab.look(width=1280, height=900, scheme=scheme, media=media)
        await tab.open(url)
        papers[scheme, media] = await tab.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        shown = await tab.evaluate(
            "[...document.querySelectorAll('details table')]"
            ".every(table => table.checkVisibility({contentVisibilityAuto: true}))"
        )
        assert shown is (media == "print"), "what is folded on a screen is there on paper"
    assert papers["light", "screen"] == papers["dark", "print"] == "rgb(255, 255, 255)"
    assert papers["dark", "screen"] not in papers["light", "screen"]
    (SHOTS / "clear-print.png").write_bytes(await tab.screenshot())


@pytest.mark.parametrize("study", [FOLDER, FOLDER / "columns"], ids=["one mode", "six modes"])
@pytest.mark.parametrize("sheet", SHEETS)
async def test_no_table_ends_beyond_the_sheet(
    study: Path, sheet: str, tab: Page, tmp_path: Path
) -> None:
    path = tmp_path / "printed.html"
    path.write_text(page(known(study)), encoding="utf-8")
    await tab.open(path.as_uri())
    asked = await tab.evaluate("document.querySelector('style').textContent")
    assert "@page { size: landscape; margin: 1cm; }" in asked
    width = int((SHEETS[sheet] - 20) / 25.4 * 96)
    await tab.look(width=width, height=700, scheme="light", media="print")
    await tab.call("Emulation.setScrollbarsHidden", hidden=True)
    try:
        assert await tab.evaluate(TOO_WIDE) == []
    finally:
        await tab.call("Emulation.setScrollbarsHidden", hidden=False)


async def test_plots_keep_their_colours_where_styles_are_blocked(tab: Page, tmp_path: Path) -> None:
    source = page(known())
    path = tmp_path / "blocked.html"
    for blocked, muted in ((False, "rgb(159, 169, 181)"), (True, "rgb(89, 98, 109)")):
        policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
        path.write_text(source.replace("<head>", f"<head>{policy * blocked}"), encoding="utf-8")
        await tab.look(width=1280, height=900, scheme="dark")
        await tab.open(path.as_uri())
        sheet = await tab.evaluate("getComputedStyle(document.body).maxWidth")
        assert (sheet == "none") is blocked
        inks = await tab.evaluate(INKS)
        assert muted in inks
        assert "rgb(0, 0, 0)" not in inks
        widths = await tab.evaluate(
            "[...document.querySelectorAll('.charts svg')].map(one => one.clientWidth)"
        )
        assert max(widths) <= 520


def figure(cell: str) -> float | None:
    """The number that a reader sees, None for a dash."""
    text = cell.replace(",", "").replace("−", "-").replace("±", "").replace("%", "").strip()
    return None if text == "–" else float(text)


def bounds(cell: str) -> list[float] | None:
    found = re.fullmatch(r"\[(.+), (.+)\] %", cell)
    return None if found is None else [figure(part) or 0.0 for part in found.groups()]


def agree(cell: str, value: float | None) -> bool:
    """Whether the figure on the page is the JSON's, rounded to what the page shows of it."""
    shown = figure(cell)
    if shown is None or value is None:
        return shown is None and value is None
    digits = len(cell.partition(".")[2].rstrip(" %"))
    return abs(shown - value) <= 0.5 * 10.0**-digits + 1e-9


def agree_bounds(cell: str, interval: dict[str, float] | None) -> bool:
    shown = bounds(cell)
    if shown is None or interval is None or "low" not in interval:
        return shown is None and (interval is None or "low" not in interval)
    wanted = [100 * interval["low"], 100 * interval["high"]]
    return all(abs(a - b) <= 0.05 + 1e-9 for a, b in zip(shown, wanted, strict=True))


def percent(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction


def estimate(interval: dict[str, float] | None) -> float | None:
    return None if interval is None else 100 * interval["estimate"]


class Shown:
    """The tables of the page by their caption."""

    def __init__(self, tables: list[dict[str, Any]]) -> None:
        self._tables = {table["caption"]: table for table in tables}

    def rows(self, caption: str) -> list[list[str]]:
        (found,) = [t for name, t in self._tables.items() if name.startswith(caption)]
        rows: list[list[str]] = found["rows"]
        return rows


def compared(document: dict[str, Any], arm: str) -> Iterable[tuple[Any, Any, Any, Any]]:
    """Group, plain row, treated row and comparison, in the order of the table."""
    for group in document["groups"]:
        by_arm = {row["arm"]: row for row in group["rows"]}
        for one in group["comparisons"]:
            if one["arm"] == arm:
                yield group, by_arm["plain"], by_arm[arm], one


@pytest.mark.parametrize("name", STUDIES)
async def test_its_figures_are_those_of_report_json(
    name: str, tab: Page, reports: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    url, document = reports[name]
    await tab.look(width=1280, height=900, scheme="light")
    await tab.open(url)
    # What is folded has no text of its own in a browser.
    await tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = Shown(await tab.evaluate(TABLES))
    checked = 0
    for arm in STUDIES[name].loss:
        found = list(compared(document, arm))
        rows = shown.rows(f"Throughput: {arm} against plain")
        for row, (group, plain, treated, one) in zip(rows, found, strict=True):
            assert row[0] == str(group["concurrency"])
            assert agree(row[1], plain.get("tps")) and agree(row[2], treated.get("tps"))
            assert agree(row[3], estimate(one.get("loss")))
            assert agree_bounds(row[4], one.get("loss"))
            # In between stand the disk's bytes and New Orders, where a study has them.
            assert agree(row[-4], percent(group.get("noiseFloor")))
            assert int(row[-3]) == one["blocks"] and row[-1] == one["verdict"]
            checked += len(row)
        if not any(one["blocks"] for *_, one in found):
            continue
        checked += latency(shown.rows(f"Latency: {arm} against plain"), found)
        checked += cpu(shown.rows(f"CPU: {arm} against plain"), found)
    for row, group in zip(shown.rows("Noise floor"), document["groups"], strict=True):
        floors = group.get("noiseFloors", {})
        for place, key in enumerate(("tps", "latencyAverage", "latencyP95", "cpuPerTransaction")):
            assert agree(row[4 + place], percent(floors.get(key)))
        checked += len(row)
    trials = {trial["name"]: trial for trial in document["trials"]}
    for row in shown.rows("Record of each trial"):
        assert row[1] == trials[row[0]]["outcome"]
        checked += 1
    assert checked > 20
    await answers(tab, document)


async def test_the_layers_and_the_studies_are_those_of_report_json(
    tab: Page, reports: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    url, document = reports["columns"]
    await tab.look(width=1280, height=900, scheme="light")
    await tab.open(url)
    await tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = Shown(await tab.evaluate(TABLES))
    steps = [(group, step) for group in document["groups"] for step in group["steps"]]
    assert len(steps) == 4, "hop and encryption at two thread counts"
    layers, cpu_rows = shown.rows("Column encryption by layer"), shown.rows("CPU by layer")
    for row, per_cpu, (group, step) in zip(layers, cpu_rows, steps, strict=True):
        by_arm = {one["arm"]: one for one in group["rows"]}
        before, after = by_arm[step["before"]], by_arm[step["arm"]]
        assert row[0] == str(group["concurrency"])
        assert row[2:4] == [step["before"], step["arm"]]
        assert agree(row[4], before["tps"]) and agree(row[5], after["tps"])
        assert agree(row[6], estimate(step["loss"]))
        assert agree_bounds(row[7], step["loss"]) and row[8] == step["verdict"]
        assert agree(per_cpu[8], before.get("proxyCpuMsPerTransaction"))
        assert agree(per_cpu[9], after.get("proxyCpuMsPerTransaction"))
        assert agree(per_cpu[10], before["databaseSideCpuMsPerTransaction"])
        assert agree(per_cpu[11], after["databaseSideCpuMsPerTransaction"])
        assert agree(per_cpu[12].lstrip("+"), estimate(step["databaseSideCpu"]))
    (study,) = document["studies"]
    for found, wanted in zip(shown.rows(study["title"]), study["rows"], strict=True):
        assert found[:3] == [wanted[0], wanted[1], str(wanted[2])]
        for cell, value in zip(found[3:], wanted[3:], strict=True):
            assert agree(cell, value)
    tables = [row[1] for row in shown.rows("Columns of the result sets")]
    assert tables == ["sbtest"]


def latency(rows: list[list[str]], found: list[tuple[Any, Any, Any, Any]]) -> int:
    for row, (_, plain, treated, _) in zip(rows, found, strict=True):
        for start, key in ((1, "latencyAverage"), (6, "latencyP95")):
            assert agree(row[start], plain.get(f"{key}Ms"))
            assert agree(row[start + 1], treated.get(f"{key}Ms"))
            assert agree(row[start + 2].lstrip("+"), estimate(treated.get(f"{key}Overhead")))
            assert agree_bounds(row[start + 3], treated.get(f"{key}Overhead"))
            assert row[start + 4] == treated[f"{key}Verdict"]
    return 11 * len(rows)


def cpu(rows: list[list[str]], found: list[tuple[Any, Any, Any, Any]]) -> int:
    for row, (_, plain, treated, _) in zip(rows, found, strict=True):
        key = "databaseSideCpuMsPerTransaction"
        assert agree(row[1], plain.get(key)) and agree(row[2], treated.get(key))
        assert agree(row[3].lstrip("+"), estimate(treated.get("cpuPerTransactionOverhead")))
        # In front of these stand the proxy's, where a study has one, and the client's.
        for start, part in ((-9, "database"), (-6, "client"), (-3, "node")):
            points = row[len(row) + start + 2]
            assert agree(row[start], plain.get(f"{part}CpuPercent"))
            assert agree(row[start + 1], treated.get(f"{part}CpuPercent"))
            assert agree(points.lstrip("+"), treated.get(f"{part}CpuPoints"))
    return 15 * len(rows)


async def answers(tab: Page, document: dict[str, Any]) -> None:
    """The cards: sentences, verdict and large figure are the headlines', and so is the rest."""
    cards = await tab.evaluate(
        "[...document.querySelectorAll('.answer')].map(card => ({"
        "  verdict: card.querySelector('.badge').innerText,"
        "  figure: card.querySelector('strong').innerText,"
        "  brief: card.querySelector('.brief').textContent,"
        "  so: card.querySelector('.so').textContent}))"
    )
    whole = await tab.evaluate(
        "[...document.querySelectorAll('.in-full .sentence')].map(one => one.textContent)"
    )
    for sentence, headline in zip(whole, document["headlines"], strict=True):
        assert sentence.replace("\u00a0", " ") == headline["text"]
    for card, headline in zip(cards, document["headlines"], strict=True):
        assert card["verdict"] == headline["verdict"]
        for part in ("brief", "so"):
            assert card[part].replace("\u00a0", " ") == headline[part]
        if headline["verdict"] in ("Overhead", "Equivalent"):
            assert agree(card["figure"], estimate(headline["loss"]))
        else:
            assert not re.search(r"\d", card["figure"]), "no figure where there is no answer"
