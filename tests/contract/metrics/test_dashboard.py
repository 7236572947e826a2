"""Dashboard and alerts against a real Prometheus that scrapes the operator's own metrics."""

import asyncio
import json
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from encbench.adapters.meter_http import serving
from tests.support.chart import CHART
from tests.support.dashboards import alerts, queries
from tests.support.metered import live, metered
from tests.support.prometheus import running_prometheus

CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}}
rule_files: ['{rules}']
scrape_configs:
  - {{job_name: encbench, honor_labels: true, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}
"""
SILENT = {"EncbenchOperatorAbsent"}
"""There is an operator."""


def _get(url: str, where: str, **parameters: str) -> dict[str, object]:
    asked = f"{url}{where}?{urlencode(parameters)}"
    with urlopen(asked, timeout=10) as answer:  # noqa: S310 - a server of ours, over http
        data: dict[str, object] = json.load(answer)["data"]
        return data


async def _ask(url: str, query: str) -> object:
    return (await asyncio.to_thread(_get, url, "/api/v1/query", query=query))["result"]


async def test_every_query_finds_series(server: Path, tmp_path: Path) -> None:
    meter = metered()
    async with serving(meter.exposition, 0, host="127.0.0.1") as port:
        config = CONFIG.format(port=port, rules=CHART / "files" / "alerts.yaml")
        with running_prometheus(server, tmp_path, config) as url:
            empty = dict(queries())
            for _ in range(60):
                live(meter)
                for name, query in list(empty.items()):
                    if await _ask(url, query):
                        del empty[name]
                if empty.keys() == SILENT:
                    break
                await asyncio.sleep(0.25)
            assert empty.keys() == SILENT
            (namespaces,) = {
                str(one["metric"]["namespace"])
                for one in await _ask(url, "encbench_campaigns")  # type: ignore[attr-defined]
            }
            assert namespaces == "bench", "the label is the campaign's, not the target's"
            groups = (await asyncio.to_thread(_get, url, "/api/v1/rules"))["groups"]
            assert isinstance(groups, list)
            rules = [rule for group in groups for rule in group["rules"]]
            assert [rule["name"] for rule in rules] == [rule["alert"] for rule in alerts()]
            assert {rule["health"] for rule in rules} <= {"ok", "unknown"}
