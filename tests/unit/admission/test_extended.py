"""A follow-up is admitted with the frozen plan of a complete campaign, and with nothing else."""

from typing import Any

import pytest

from encbench.admission.checks import admit
from encbench.admission.extended import extended
from encbench.admission.follow_up import plan_digest
from encbench.admission.gather import CampaignParts
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import ENCRYPTION_MODE
from encbench.cli.extend import manifest
from encbench.cli.manifests import Manifests, Offline
from encbench.core.artefact import digest_of
from encbench.core.problem import Problem, Reason
from encbench.ports import Body
from tests.support import manifests
from tests.unit.admission.accepted import first
from tests.unit.admission.campaigns import SPACE


async def admitted(follow_up: Body, *there: Body) -> tuple[CampaignParts, tuple[Problem, ...]]:
    bodies = {(body["kind"], SPACE, body["metadata"]["name"]): body for body in there}
    spec = CampaignSpec.model_validate(follow_up["spec"])
    name = follow_up["metadata"]["name"]
    return await admit(Offline(Manifests(bodies)), SPACE, name, spec)


def made(of: Body, **spec: Any) -> Body:
    found = manifest(extended(of), SPACE, 12)
    return {**found, "spec": {**found["spec"], **spec}}


async def test_parts_are_those_of_the_first_campaign_whatever_became_of_them() -> None:
    edited = manifests.body(ENCRYPTION_MODE, "tde", SPACE)
    found, problems = await admitted(made(first()), first(), edited)
    assert not problems
    assert found.modes["tde"].to_dict()["atRest"]["method"] == "engine"
    assert set(found.workloads) == {"oltp"}


async def test_scripts_are_the_copies_of_then() -> None:
    edited = manifests.config_map("mine", SPACE, **{"mine.lua": "-- edited"})
    copy = manifests.config_map("demo-script", SPACE, **{"mine.lua": "-- of then"})
    of = first(scripts=True)
    found, _ = await admitted(made(of), of, edited, copy)
    assert found.script(found.workloads["oltp"]) == "-- of then"


def test_a_follow_up_of_a_campaign_without_digests_of_scripts_has_the_same_plan() -> None:
    of = extended(first(scripts=True))
    known = of.resolved.model_copy(update={"script_digests": {"oltp": digest_of(b"-- of then")}})
    assert plan_digest(of.spec, known) == plan_digest(of.spec, of.resolved)


async def test_a_lost_copy_is_not_replaced_by_what_is_there_today() -> None:
    edited = manifests.config_map("mine", SPACE, **{"mine.lua": "-- edited"})
    of = first(scripts=True)
    _, problems = await admitted(made(of), of, edited)
    assert Reason.NOT_FOUND in [problem.reason for problem in problems]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"margin": 0.01}, "margin"),
        ({"seed": 5}, "seed"),
        ({"limits": {"foreignCpu": 1}}, "limits"),
        ({"blocks": {"min": 12, "maxReplacements": 9}}, "blocks"),
    ],
)
async def test_another_plan_is_refused(change: dict[str, Any], field: str) -> None:
    _, (problem,) = await admitted(made(first(), **change), first())
    assert problem.reason is Reason.NOT_EXTENDABLE
    assert problem.text.startswith(f"{field}: not as the plan of campaign demo asks")
    assert "delete this one, then: kubectl encbench extend demo --blocks 12" in problem.text


async def test_a_number_of_blocks_that_the_plan_does_not_allow_is_refused() -> None:
    of = first(blocks={"min": 12, "perTestbed": 3})
    _, (problem,) = await admitted(made(of, blocks={"min": 6}), of)
    assert problem.reason is Reason.NOT_EXTENDABLE
    assert problem.text.startswith("the plan of campaign demo does not allow blocks.min 6: with ")
    assert problem.text.endswith("delete this one, and extend demo with a number that it allows")


async def test_parts_that_are_not_those_of_the_digest_are_refused() -> None:
    other = first()
    other["status"]["resolved"]["modes"]["tde"] = {}
    _, (problem,) = await admitted(made(first()), other)
    assert problem.reason is Reason.NOT_EXTENDABLE
    assert "extends" in problem.text
    assert problem.text.endswith(" --blocks 12, with the plugin of the operator's version")


async def test_a_second_follow_up_beside_the_first_is_refused() -> None:
    follow_up = made(first())
    follow_up["metadata"]["name"] = "demo-again"
    _, (problem,) = await admitted(follow_up, first())
    assert "the only follow-up of campaign demo is demo-more-1" in problem.text
    assert problem.text.endswith("delete this one, then: kubectl encbench extend demo --blocks 12")


async def test_an_unfinished_campaign_is_not_extended() -> None:
    _, (problem,) = await admitted(made(first()), first(complete=False))
    assert problem.reason is Reason.NOT_EXTENDABLE
    assert "is not complete" in problem.text


async def test_a_campaign_that_failed_is_not_extended_later_either() -> None:
    failed = first(complete=False)
    failed["status"]["conditions"] = [
        {
            "type": "Failed",
            "status": "True",
            "reason": "DeadlineExceeded",
            "message": "",
            "lastTransitionTime": "2030-01-01T00:00:00Z",
        }
    ]
    _, (problem,) = await admitted(made(first()), failed)
    assert problem.reason is Reason.NOT_EXTENDABLE
    assert "campaign demo failed, and nothing more is measured" in problem.text
    assert problem.text.endswith("apply a new campaign")


async def test_another_incarnation_of_that_name_is_not_the_campaign() -> None:
    again = first()
    again["metadata"]["uid"] = "uid-again"
    _, problems = await admitted(made(first()), again)
    assert problems[0].reason is Reason.NOT_FOUND
    assert "delete this one" in problems[0].text


@pytest.mark.parametrize(("announced", "allowed"), [(0, 1), (1, 1), (2, 2)])
async def test_as_many_follow_ups_as_were_announced_or_one(announced: int, allowed: int) -> None:
    body = first(blocks={"extensions": announced})
    for _ in range(allowed):
        found = extended(body)
        assert not found.obstacle
        follow_up = manifest(found, SPACE, 12)
        _, problems = await admitted(follow_up, body)
        assert not problems
        follow_up["metadata"]["uid"] = "uid-more"
        body = {**follow_up, "status": body["status"]}
    assert f"is follow-up {allowed} of the {allowed}" in extended(body).obstacle


@pytest.mark.parametrize(
    ("blocks", "rounds", "slots"),
    [(12, 595, ""), (12, 700, "235,200"), (24, 416, ""), (24, 417, "200,160")],
)
async def test_its_report_has_the_rounds_of_both(blocks: int, rounds: int, slots: str) -> None:
    """Three arms with up to 14 blocks each: 336 slots a round of the two campaigns together.

    Of a first one with 26 blocks it is 480.
    """
    turns = {"min": blocks, "maxReplacements": 2, "interleave": {"rounds": rounds}}
    one = first(blocks={**turns, "extensions": 1})
    _, problems = await admitted(made(one), one)
    refused = bool(slots)
    assert [problem.reason for problem in problems] == [Reason.TOO_MANY_TRIALS] * refused
    assert not refused or f"make a report of {slots} slots" in str(problems)
    assert not refused or "extend the other with fewer --blocks" in str(problems)


@pytest.mark.parametrize(
    ("blocks", "refused"), [((120, 4, 150), True), ((10, 70, 40), False), ((60, 4, 60), False)]
)
async def test_each_campaign_of_a_chain_counts_as_large_as_it_is(
    blocks: tuple[int, int, int], refused: bool
) -> None:
    """Three arms, two replacements and 100 rounds: 1,200 slots a block."""
    turns = {"min": blocks[0], "maxReplacements": 2, "interleave": {"rounds": 100}}
    chain = [first(blocks={**turns, "extensions": 3})]
    problems: tuple[Problem, ...] = ()
    for number, count in enumerate(blocks[1:]):
        follow_up = manifest(extended(chain[-1]), SPACE, count)
        _, problems = await admitted(follow_up, *chain)
        follow_up["metadata"]["uid"] = f"uid-{number}"
        chain.append({**follow_up, "status": chain[-1]["status"]})
    assert [one.reason for one in problems] == [Reason.TOO_MANY_TRIALS] * refused
    alone = manifest(extended(chain[1]), SPACE, blocks[2])
    _, problems = await admitted(alone, chain[1])
    assert bool(problems) == (blocks[1] == 70), "one that is gone counts as its follow-up does"
