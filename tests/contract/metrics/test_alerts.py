"""When the chart's alerts fire, as Prometheus' own promtool has it of series that are made up.

Rules are evaluated each minute, as Prometheus does by default, and targets scraped every 15 s.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.chart import NAMESPACE
from tests.support.dashboards import alerts
from tests.support.prometheus import debian

HINDERED = 'encbench_campaign_hindered{{namespace="bench", campaign="study", reason="{}"{}}}'
ENDED = (
    'encbench_campaign_end_timestamp_seconds{{namespace="bench", campaign="study", '
    'outcome="{}", reason="TestbedFailed", pod="{}"}}'
)

DENIED = {HINDERED.format("ImagePullFailed", ""): "1x39 _x80"}
"""For the 10 minutes of `stepDeadlines.provision` an image cannot be pulled."""
NO_CLIENT = {HINDERED.format("ContainerFailed", ""): " ".join(["1x18 _x3"] * 6)}
"""A client that cannot start: each trial ends after the 5 minutes of `stepDeadlines.start`."""
IN_TURN = {
    HINDERED.format("ImagePulling", ', pod="a"'): "1x9 _x100",
    HINDERED.format("ImagePullFailed", ', pod="a"'): "_x9 1x9 _x100",
    HINDERED.format("ImagePullFailed", ', pod="b"'): "_x20 1x19 _x100",
}
"""Another reason after 2.5 minutes, and after five another pod that leads."""
SHORT = {HINDERED.format("NoPod", ""): "1x8 _x100"}
QUEUED = {HINDERED.format(reason, ""): "1x100" for reason in ("NodeInUse", "DatabaseInUse")}
TARGET = f'{{instance="10.0.0.1:8081", namespace="{NAMESPACE}"}}'
BUILD = f"encbench_build_info{TARGET}"
LIVES = " ".join(f"{start}x4 _x19" for start in range(100, 112))
LOOPS = {f"process_start_time_seconds{TARGET}": LIVES, BUILD: " ".join(["1x4 _x19"] * 12)}
"""It ends a minute after each start, and its container waits for five."""
OTHERS = {key.replace(NAMESPACE, "other"): values for key, values in LOOPS.items()}
ONCE = {f"process_start_time_seconds{TARGET}": "100x80 200x80", BUILD: "1x160"}
AWAY = {'encbench_service_up{namespace="ns", service="object store", pod="a"}': "1x40 0x60"}
FAILED = {ENDED.format("Failed", "a"): "_x40 600x80"}
"""It ends 10 minutes after the first scrape, whose time promtool has as 0."""
AT_ONCE = {ENDED.format("Failed", "a"): "0x120"}
"""In the first passes of the operator's process: no earlier scrape has another value."""
RESTARTED = {
    ENDED.format("Failed", "a"): "_x8 120x30",
    ENDED.format("Failed", "b"): "_x44 120x4 660x80",
}
"""Two failures: the second one in the first passes of a new process, which has shown the first."""

FIRES: list[tuple[str, str, dict[str, str], list[int]]] = [
    ("refused image", "EncbenchCampaignHindered", DENIED, [7, 9, 11]),
    ("a client", "EncbenchCampaignHindered", NO_CLIENT, [7, 9, 15, 21]),
    ("in turn", "EncbenchCampaignHindered", IN_TURN, [7, 9]),
    ("crash loop", "EncbenchOperatorRestarts", LOOPS, [20, 22, 25, 40]),
    ("a store", "EncbenchServiceAway", AWAY, [20, 22]),
    ("failed campaign", "EncbenchCampaignFailed", FAILED, [11, 15, 20, 24]),
    ("failed at once", "EncbenchCampaignFailed", AT_ONCE, [1, 5, 14]),
    ("a new process", "EncbenchCampaignFailed", RESTARTED, [3, 10, 16, 20, 25]),
]
SILENT: list[tuple[str, str, dict[str, str], list[int]]] = [
    ("soon", "EncbenchCampaignHindered", DENIED, [3]),
    ("over", "EncbenchCampaignHindered", DENIED, [14]),
    ("short", "EncbenchCampaignHindered", SHORT, list(range(15))),
    ("queued", "EncbenchCampaignHindered", QUEUED, [5, 10, 20]),
    ("one restart", "EncbenchOperatorRestarts", ONCE, [5, 20, 25]),
    ("of another release", "EncbenchOperatorRestarts", OTHERS, [20, 25]),
    ("old failure", "EncbenchCampaignFailed", {ENDED.format("Failed", "a"): "-3600x120"}, [1, 20]),
    ("long ago", "EncbenchCampaignFailed", FAILED, [9, 26, 29]),
    ("no failure", "EncbenchCampaignFailed", {ENDED.format("Complete", "a"): "0x120"}, [1, 10]),
]


def _judged(folder: Path, alert: str, series: dict[str, str], minutes: dict[int, bool]) -> str:
    """What promtool says against an alert that fires in these minutes, or does not."""
    rules = {"groups": [{"name": "encbench", "rules": alerts()}]}
    (folder / "rules.json").write_text(json.dumps(rules))
    asked = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})'
    test = {
        "interval": "15s",
        "input_series": [{"series": name, "values": one} for name, one in series.items()],
        "promql_expr_test": [
            {
                "expr": asked,
                "eval_time": f"{minute}m",
                "exp_samples": [{"labels": "{}", "value": 1}] if fires else [],
            }
            for minute, fires in minutes.items()
        ],
    }
    file = folder / "test.json"
    tests = {"rule_files": ["rules.json"], "evaluation_interval": "1m", "tests": [test]}
    file.write_text(json.dumps(tests))
    argv = [str(debian("promtool")), "test", "rules", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize(
    ("alert", "series", "minutes"), [one[1:] for one in FIRES], ids=[one[0] for one in FIRES]
)
def test_an_alert_fires(
    tmp_path: Path, alert: str, series: dict[str, str], minutes: list[int]
) -> None:
    assert _judged(tmp_path, alert, series, dict.fromkeys(minutes, True)) == ""


@pytest.mark.parametrize(
    ("alert", "series", "minutes"), [one[1:] for one in SILENT], ids=[one[0] for one in SILENT]
)
def test_an_alert_is_silent(
    tmp_path: Path, alert: str, series: dict[str, str], minutes: list[int]
) -> None:
    assert _judged(tmp_path, alert, series, dict.fromkeys(minutes, False)) == ""
