"""Argo CD's health checks of docs/operating.md, run by the version of Lua that Argo CD has."""

import json
import re
import subprocess
from typing import Any

import pytest
import yaml

from encbench.api import lifecycle as life
from tests.support import debian
from tests.support.apiserver import REPOSITORY

CHECK = "resource.customizations.health.encbench.io_"


@pytest.fixture(scope="module")
def lua() -> str:
    debian.install("lua5.1")
    return "lua5.1"


def checks() -> dict[str, str]:
    guide = (REPOSITORY / "docs" / "operating.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf"^```yaml\n(data:\n  {CHECK}.*?)^```", guide, re.MULTILINE | re.DOTALL)
    found: dict[str, str] = yaml.safe_load(shown)["data"]
    return found


def literal(value: Any) -> str:
    """The value as Lua writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {literal(one)}' for name, one in value.items())}}}"
    if isinstance(value, list):
        return f"{{{', '.join(map(literal, value))}}}"
    return json.dumps(value)


def health(lua: str, kind: str, body: dict[str, Any]) -> tuple[str, str]:
    """Status and message of an object."""
    check = f"local function check(obj)\n{checks()[CHECK + kind]}end\n"
    said = f"local found = check({literal(body)})\nprint(found.status)\nprint(found.message)\n"
    command = [lua, "-"]
    done = subprocess.run(command, input=check + said, capture_output=True, text=True, check=True)
    status, message = done.stdout.splitlines()
    return status, message


def campaign(**conditions: str) -> dict[str, Any]:
    """One with these conditions, each with its name as its message."""
    made = [{"type": kind, "status": now, "message": kind} for kind, now in conditions.items()]
    return {"status": {"phase": "Running", "step": "3 of 6 trials", "conditions": made}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ("Progressing", "waiting for the operator")),
        (
            {"status": {"observedGeneration": -1, "phase": "Pending", "step": ""}},
            ("Progressing", "waiting for the operator"),
        ),
        ({"status": {"phase": "Pending"}}, ("Progressing", "Pending")),
        (campaign(**{life.ACCEPTED: "True"}), ("Progressing", "3 of 6 trials")),
        (campaign(**{life.ACCEPTED: "False"}), ("Progressing", life.ACCEPTED)),
        (campaign(**{life.ACCEPTED: "False", life.STALLED: "True"}), ("Degraded", life.STALLED)),
        (campaign(**{life.ACCEPTED: "True", life.SUSPENDED: "True"}), ("Suspended", "Suspended")),
        (campaign(**{life.SUSPENDED: "False"}), ("Progressing", "3 of 6 trials")),
        (campaign(**{life.ACCEPTED: "True", life.COMPLETE: "True"}), ("Healthy", life.COMPLETE)),
        (campaign(**{life.ACCEPTED: "True", life.FAILED: "True"}), ("Degraded", life.FAILED)),
        (campaign(**{life.SUSPENDED: "True", life.COMPLETE: "True"}), ("Healthy", life.COMPLETE)),
    ],
)
def test_a_campaigns_health(lua: str, body: dict[str, Any], expected: tuple[str, str]) -> None:
    assert health(lua, "Campaign", body) == expected


def test_a_reports_health(lua: str) -> None:
    status = {"headline": "costs 3 %", "conditions": [{"type": life.READY, "status": "True"}]}
    assert health(lua, "OverheadReport", {"status": status}) == ("Healthy", "costs 3 %")
    status["conditions"] = [{"type": life.READY, "status": "False"}]
    unready = ("Progressing", "the report is being rendered")
    assert health(lua, "OverheadReport", {"status": status}) == unready
    assert health(lua, "OverheadReport", {}) == unready
