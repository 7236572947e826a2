"""The chart's Grafana dashboard and its alerts, and the queries in them."""

import json
import re
from typing import Any

import yaml

from tests.support.chart import CHART, NAMESPACE

VARIABLES = {"$__rate_interval": "1m", "$namespace": ".*", "$campaign": ".*"}


def dashboard() -> dict[str, Any]:
    """The dashboard as it is in the chart."""
    found: dict[str, Any] = json.loads((CHART / "files" / "dashboard.json").read_text("utf-8"))
    return found


def alerts() -> list[dict[str, Any]]:
    """The alerts as they are in the chart."""
    text = (CHART / "files" / "alerts.yaml").read_text("utf-8")
    groups = yaml.safe_load(text.replace("RELEASE_NAMESPACE", NAMESPACE))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """Those that show something, hence not the rows."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def queries() -> dict[str, str]:
    """Every query as Prometheus gets it, by the panel that asks it, the alert or the variable."""
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in panels()
        for target in panel["targets"]
    }
    found |= {rule["alert"]: rule["expr"] for rule in alerts()}
    return {name: _filled_in(query) for name, query in found.items()}


def _filled_in(query: str) -> str:
    for variable, value in VARIABLES.items():
        query = query.replace(variable, value)
    return query


def metric_names(query: str) -> set[str]:
    """The metrics that a query is about."""
    return set(re.findall(r"\b(?:encbench|process)_[a-z0-9_]+", query))
