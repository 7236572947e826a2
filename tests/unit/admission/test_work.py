"""How much work a campaign makes for whoever judges it; authors write what they like."""

import asyncio
import threading
from difflib import SequenceMatcher
from typing import Any

import pytest

from encbench.admission import checks
from encbench.admission.checks import admit
from encbench.admission.combined import MOST
from encbench.admission.gather import CampaignParts
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.cli.manifests import Manifests, Offline
from encbench.core import hints
from encbench.core.columns import selection
from encbench.core.columns.schema import entries
from encbench.core.hints import MOST_COMPARED, MOST_HINTS
from encbench.core.problem import Problem, Reason
from encbench.engines import setting_names
from encbench.ports import Body
from tests.support import manifests

SPACE = "bench"
MODES, TEMPLATES, WORKLOADS = 8, 4, 6


def several(kind: Kind, count: int, **spec: Any) -> list[Body]:
    return [manifests.body(kind, f"n{number}", SPACE, **spec) for number in range(count)]


def columns(number: int, names: int) -> dict[str, Any]:
    listed = [f"bmsql_customer.c_b{number}x{place}" for place in range(names)]
    return {"method": "confidential", "list": listed}


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each comparison of two names."""
    hints._closest.cache_clear()
    selection._unknown.cache_clear()
    seen: list[int] = []
    original = SequenceMatcher.real_quick_ratio

    def counted(self: SequenceMatcher[str]) -> float:
        seen.append(len(seen))
        return original(self)

    monkeypatch.setattr(SequenceMatcher, "real_quick_ratio", counted)
    return seen


async def judged(*bodies: Body) -> tuple[Problem, ...]:
    named: dict[str, list[str]] = {}
    for body in bodies:
        named.setdefault(body["kind"], []).append(body["metadata"]["name"])
    spec = manifests.SPECS[CAMPAIGN] | {
        "baselineModeRef": "n0",
        "matrix": [
            {
                "instanceRefs": named["InstanceTemplate"],
                "modeRefs": named["EncryptionMode"],
                "workloadRefs": named["Workload"],
            }
        ],
    }
    held = {(one["kind"], SPACE, one["metadata"]["name"]): one for one in bodies}
    campaign = CampaignSpec.model_validate(spec)
    _, problems = await admit(Offline(Manifests(held)), SPACE, "study", campaign)
    return problems


async def test_an_unknown_column_is_compared_once_and_only_the_first_of_a_mode(
    compared: list[int],
) -> None:
    modes = [
        manifests.body(ENCRYPTION_MODE, f"n{one}", SPACE, columns=columns(one, 100))
        for one in range(MODES)
    ]
    problems = await judged(
        *modes, *several(INSTANCE_TEMPLATE, TEMPLATES), *several(WORKLOAD, WORKLOADS)
    )
    of_n0 = [
        one.text
        for one in problems
        if one.reason is Reason.COLUMN_UNKNOWN
        and "n0" in one.subject.split(", ")
        and one.text.startswith("Workload n0 ")
    ]
    assert len(of_n0) == MOST_HINTS + 1
    assert "95 other names are not columns of sysbench's tables either" in of_n0[-1]
    assert 0 < len(compared) <= MODES * MOST_HINTS * len(entries("sysbench"))


async def test_options_of_a_script_with_very_many(compared: list[int]) -> None:
    own = {
        "sysbench": {
            "scriptConfigMapRef": {"name": "mine", "key": "mine.lua"},
            "options": {f"zzz-option-{one}": "1" for one in range(32)},
        }
    }
    declared = ", ".join(f"option_{one} = 1" for one in range(5000))
    script = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "mine", "namespace": SPACE},
        "data": {"mine.lua": f"sysbench.cmdline.options = {{ {declared} }}"},
    }
    problems = await judged(
        *several(ENCRYPTION_MODE, 1),
        *several(INSTANCE_TEMPLATE, 1),
        *several(WORKLOAD, 1, **own),
        script,
    )
    unknown = [one.text for one in problems if one.reason is Reason.SETTING_UNKNOWN]
    assert len(unknown) == 32
    assert sum("did you mean" in text for text in unknown) == MOST_HINTS
    assert 0 < len(compared) <= MOST_HINTS * MOST_COMPARED


async def test_a_template_s_settings_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    setting_names._judged.cache_clear()
    seen: list[str] = []
    original = setting_names.SettingsFile.owned

    def counted(self: setting_names.SettingsFile, name: str) -> str | None:
        seen.append(name)
        return original(self, name)

    monkeypatch.setattr(setting_names.SettingsFile, "owned", counted)
    for engine in ("mariadb", "mysql", "postgresql"):
        versions = {"mariadb": "10.11", "mysql": "8.4", "postgresql": "15"}
        template: dict[str, Any] = {"engine": engine, "version": versions[engine]}
        template["settings"] = {f"{engine}_setting": "1"}
        await judged(
            *several(ENCRYPTION_MODE, MODES),
            *several(INSTANCE_TEMPLATE, 1, **template),
            *several(WORKLOAD, 1),
        )
    assert seen == ["mariadb_setting", "mysql_setting", "postgresql_setting"]


async def test_a_matrix_that_is_wrong_throughout_has_so_many_sentences() -> None:
    modes = [
        manifests.body(ENCRYPTION_MODE, f"n{one}", SPACE, columns=columns(one, MOST_HINTS))
        for one in range(MODES)
    ]
    workloads = several(WORKLOAD, WORKLOADS)
    problems = await judged(*modes, *several(INSTANCE_TEMPLATE, 1), *workloads)
    found = [one for one in problems if one.reason is Reason.COLUMN_UNKNOWN]
    assert len(found) == MOST < MODES * WORKLOADS * MOST_HINTS


async def test_the_loop_goes_on_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    going_on = threading.Event()

    def waits(_: CampaignParts) -> tuple[Problem, ...]:
        assert going_on.wait(30)
        return ()

    monkeypatch.setattr(checks, "CHECKS", (waits,))
    judging = asyncio.create_task(
        judged(*several(ENCRYPTION_MODE, 1), *several(INSTANCE_TEMPLATE, 1), *several(WORKLOAD, 1))
    )
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(0.01, going_on.set)
    assert await judging == ()
