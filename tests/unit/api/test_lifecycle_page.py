"""The page about conditions and phases: up to date, and complete."""

import re

from encbench.api import lifecycle_page
from encbench.api.lifecycle import LIVES, POD_REASONS
from encbench.api.pages import ROOT, stale


def test_the_committed_page_is_what_would_be_written() -> None:
    assert stale(ROOT, {lifecycle_page.PAGE: lifecycle_page.page()}) == []


def test_every_phase_can_be_reached_and_is_left_or_is_an_end() -> None:
    for life in LIVES:
        reached = {after for _, after in life.transitions} | set(life.order[:1])
        assert reached == set(life.order)
        assert {one.name for one in life.phases} | set(life.order[:1]) == set(life.order)


def test_the_page_names_every_condition_reason_and_phase() -> None:
    words = set(re.findall(r"[A-Za-z]+", lifecycle_page.page()))
    for life in LIVES:
        assert words >= {one.name for one in life.conditions} | set(life.order)
        assert words >= {reason for one in life.conditions for _, reason, _ in one.reasons()}
        assert words >= {reason for reasons in life.outcomes.values() for reason in reasons}


def test_the_page_explains_once_what_several_conditions_share() -> None:
    page = lifecycle_page.page()
    for reason, meaning in POD_REASONS.items():
        assert page.count(f"| `{reason}` | {meaning} |") == 1
    for reason in ("NoPod", "NotStored", "Fault", "ProvisionTimeout", "WrongVersion"):
        assert page.count(f"| `{reason}` |") == 1
    assert "|  | False | that of `Failed` | As the condition `Failed` says. |" in page
    assert "| `Held` |" in page.partition("## Testbed")[0], "campaigns alone have it"
    assert "| Failed | `OOMKilled` | A client ran out of memory. |" in page, "it means another"
    anchors = {one.lower().replace(" ", "-") for one in re.findall(r"(?m)^## (.*)", page)}
    assert anchors >= {*re.findall(r"\(#([^)]*)\)", page)}
