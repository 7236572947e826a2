"""Dashboard and alerts against a real Prometheus that scrapes the operator's own metrics.

No registry of packages has Grafana's server, so the dashboard is not drawn: Grafana's own schema
judges its file.
"""

import asyncio
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from encbench.adapters.meter_http import serving
from encbench.api.conditions import format_time
from tests.cluster import binaries
from tests.support.chart import CHART, NAMESPACE
from tests.support.dashboards import alerts, dashboard, queries
from tests.support.metered import live, metered
from tests.support.prometheus import running_prometheus

CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}}
rule_files: ['{rules}']
scrape_configs:
  - job_name: encbench
    honor_labels: true
    static_configs: [{{targets: ['127.0.0.1:{port}'], labels: {{namespace: {namespace}}}}}]
"""
ABSENT = "EncbenchOperatorAbsent"
QUIET = {ABSENT, "EncbenchOperatorRestarts"}
"""Alerts about an operator that is not there, or not for long."""


def _get(url: str, where: str, **parameters: str) -> dict[str, object]:
    asked = f"{url}{where}?{urlencode(parameters)}"
    with urlopen(asked, timeout=10) as answer:  # noqa: S310 - a server of ours, over http
        data: dict[str, object] = json.load(answer)["data"]
        return data


async def _ask(url: str, query: str) -> object:
    return (await asyncio.to_thread(_get, url, "/api/v1/query", query=query))["result"]


async def test_every_query_finds_series(server: Path, tmp_path: Path) -> None:
    meter = metered(over=format_time(datetime.now(UTC)))
    async with serving(meter.exposition, 0, host="127.0.0.1") as port:
        rules = CHART / "files" / "alerts.yaml"
        config = CONFIG.format(port=port, rules=rules, namespace=NAMESPACE)
        with running_prometheus(server, tmp_path, config) as url:
            empty = dict(queries())
            for _ in range(60):
                live(meter)
                for name, query in list(empty.items()):
                    if await _ask(url, query):
                        del empty[name]
                if not empty.keys() - QUIET:
                    break
                await asyncio.sleep(0.25)
            assert not empty.keys() - QUIET
            assert not await _ask(url, queries()[ABSENT]), "there is an operator"
            (namespaces,) = {
                str(one["metric"]["namespace"])
                for one in await _ask(url, "encbench_campaigns")  # type: ignore[attr-defined]
            }
            assert namespaces == "bench", "the label is the campaign's, not the target's"
            groups = (await asyncio.to_thread(_get, url, "/api/v1/rules"))["groups"]
            assert isinstance(groups, list)
            found = [rule for group in groups for rule in group["rules"]]
            assert [rule["name"] for rule in found] == [rule["alert"] for rule in alerts()]
            assert {rule["health"] for rule in found} <= {"ok", "unknown"}


@pytest.fixture(scope="module")
def dashcheck() -> Path:
    """The program that judges a dashboard by Grafana's schema."""
    return binaries.compiled("grafana") / "dashcheck"


def _findings(dashcheck: Path, file: Path) -> tuple[int, str]:
    done = subprocess.run(
        [dashcheck, file], capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


def test_the_dashboard_is_one_by_grafanas_schema(dashcheck: Path) -> None:
    assert _findings(dashcheck, CHART / "files" / "dashboard.json") == (0, "")


@pytest.mark.parametrize(
    ("where", "key", "value", "finding"),
    [
        (("options", "legend"), "placment", "right", "unexpected field 'placment'"),
        (("options", "legend"), "showLegend", "yes", "showLegend"),
        (("fieldConfig", "defaults"), "min", "zero", "panels[4].fieldConfig"),
        (("gridPos",), "w", 30, "gridPos.w: must be <= 24"),
        (("targets", 0), "exprr", "up", "unexpected field 'exprr'"),
        ((), "type", "timeserie", "Grafana has no panel of type 'timeserie'"),
    ],
)
def test_a_mistake_in_the_dashboard_is_found(
    dashcheck: Path,
    tmp_path: Path,
    where: tuple[str | int, ...],
    key: str,
    value: object,
    finding: str,
) -> None:
    changed = dashboard()
    part = changed["panels"][4]
    for step in where:
        part = part[step]
    part[key] = value
    file = tmp_path / "dashboard.json"
    file.write_text(json.dumps(changed), encoding="utf-8")
    code, found = _findings(dashcheck, file)
    assert code == 1
    assert finding in found
