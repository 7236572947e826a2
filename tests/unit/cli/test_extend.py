"""`kubectl encbench extend`: one follow-up of a complete campaign, and its plan."""

import argparse
from typing import Any

import pytest
import yaml

from encbench.api.kinds import CAMPAIGN
from encbench.cli.extend import extend
from encbench.cli.main import main
from encbench.cli.output import CommandError
from tests.support.fake_cluster import FakeCluster
from tests.unit.admission.accepted import first
from tests.unit.admission.campaigns import SPACE


def arguments(**given: Any) -> argparse.Namespace:
    usual = {"campaign": "demo", "blocks": 12, "dry_run": False}
    return argparse.Namespace(**{**usual, **given})


def cluster(*, complete: bool = True, **spec: Any) -> FakeCluster:
    fake = FakeCluster()
    fake.add(CAMPAIGN, first(complete=complete, **spec))
    return fake


async def test_it_makes_the_follow_up_and_says_how_long_it_takes(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    fake = cluster()
    assert await extend(fake, SPACE, arguments()) == 0
    made = fake.one(CAMPAIGN, SPACE, "demo-more-1")
    assert made["spec"]["blocks"]["min"] == 12
    assert made["spec"]["extends"]["name"] == "demo"
    said = capsysbinary.readouterr().out.decode()
    assert said.startswith("campaign demo-more-1 extends demo\n")
    assert "36" in said, "12 blocks of three arms"
    assert f"campaign demo-more-1 in namespace {SPACE}: was created" in said
    assert "accepted\n" not in said, "the operator has not looked at it yet"
    assert said.endswith(f"seconds:\n    kubectl encbench watch demo-more-1 -n {SPACE}\n")


async def test_a_dry_run_makes_nothing(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    fake = cluster()
    assert await extend(fake, SPACE, arguments(dry_run=True)) == 0
    assert await fake.get(CAMPAIGN, SPACE, "demo-more-1") is None
    shown = yaml.safe_load(capsysbinary.readouterr().out)
    assert await extend(fake, SPACE, arguments()) == 0
    assert fake.one(CAMPAIGN, SPACE, "demo-more-1")["spec"] == shown["spec"]


async def test_a_campaign_has_one_follow_up() -> None:
    fake = cluster()
    await extend(fake, SPACE, arguments())
    with pytest.raises(CommandError, match="demo-more-1 exists already"):
        await extend(fake, SPACE, arguments(blocks=30))


async def test_repeated_after_a_lost_answer_it_finds_what_it_made(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    fake = cluster()
    await extend(fake, SPACE, arguments())
    before = capsysbinary.readouterr().out.decode()
    assert await extend(fake, SPACE, arguments()) == 0
    again = capsysbinary.readouterr().out.decode()
    assert again == before.replace("was created", "exists already with this plan")
    fake.set_spec(CAMPAIGN, SPACE, "demo-more-1", suspend=True, activeDeadlineSeconds=600)
    assert await extend(fake, SPACE, arguments()) == 0, "what may be changed later"


async def test_a_follow_up_that_is_being_deleted_is_none() -> None:
    """It measures nothing any more, whatever its plan."""
    fake = cluster()
    await extend(fake, SPACE, arguments())
    await fake.patch_metadata(CAMPAIGN, SPACE, "demo-more-1", finalizers=["example.com/kept"])
    fake.remove(CAMPAIGN, SPACE, "demo-more-1")
    with pytest.raises(CommandError, match="demo-more-1 exists already"):
        await extend(fake, SPACE, arguments())


@pytest.mark.parametrize(
    ("given", "there", "said"),
    [
        ({"campaign": "other"}, {}, "there is no campaign other"),
        ({}, {"complete": False}, "is not complete"),
        ({"blocks": 0}, {}, "--blocks 0: Input should be greater than or equal to 1"),
        ({"blocks": 6}, {"blocks": {"min": 8, "perTestbed": 2}}, "write --blocks 8 or more"),
    ],
)
async def test_why_it_cannot(given: dict[str, Any], there: dict[str, Any], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        await extend(cluster(**there), SPACE, arguments(**given))


def test_its_help_says_what_is_final(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["extend", "--help"])
    assert "N is final" in capsys.readouterr().out
