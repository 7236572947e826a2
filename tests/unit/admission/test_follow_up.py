"""A follow-up has the plan of the campaign that it extends; the data chooses nothing of it."""

import pytest

from encbench.admission.follow_up import follow_up, follow_up_name, plan_digest
from encbench.admission.gather import frozen
from encbench.api.campaign import FROZEN_FIELDS, CampaignSpec, Resolved
from encbench.api.kinds import CAMPAIGN
from tests.support.manifests import SPECS

PARTS = frozen({}, {"plain": {}, "tde": {"atRest": {"method": "engine"}}}, {}, {})


def spec(**own: object) -> CampaignSpec:
    return CampaignSpec.model_validate({**SPECS[CAMPAIGN], **own})


def test_only_blocks_seed_precision_and_the_reference_are_its_own() -> None:
    first = spec(
        precision={"targetHalfWidth": 0.02},
        blocks={"min": 6, "maxReplacements": 2, "interleave": {}, "solo": 4},
        margin=0.02,
        reset="block",
        suspend=True,
        activeDeadlineSeconds=60,
    )
    made = follow_up("demo", "uid", first, PARTS, 12)
    ours, theirs = made.to_dict(), first.to_dict()
    changed = {name for name in FROZEN_FIELDS if ours.get(name) != theirs.get(name)}
    assert changed == {"blocks", "precision", "seed", "extends"}
    assert ours["blocks"] == {**theirs["blocks"], "min": 12, "solo": 0}
    assert made.precision is None
    assert not made.suspend
    assert made.active_deadline_seconds is None


def test_follow_ups_share_the_digest_of_the_plan() -> None:
    first = spec(blocks={"min": 6, "extensions": 2})
    digest = plan_digest(first, PARTS)
    one = follow_up("demo", "u0", first, PARTS, 12)
    two = follow_up("demo-more-1", "u1", one, PARTS, 20)
    assert one.extends is not None and two.extends is not None
    assert {one.extends.plan_digest, two.extends.plan_digest, plan_digest(two, PARTS)} == {digest}
    assert (one.extends.number, two.extends.number) == (1, 2)


def test_how_many_cells_are_measured_side_by_side_is_no_part_of_the_plan() -> None:
    first = spec(parallelism=2)
    assert plan_digest(first, PARTS) == plan_digest(spec(), PARTS)
    assert follow_up("demo", "uid", first, PARTS, 12).parallelism == 2


@pytest.mark.parametrize("other", [{"margin": 0.01}, {"blocks": {"extensions": 1}}])
def test_another_plan_has_another_digest(other: dict[str, object]) -> None:
    assert plan_digest(spec(**other), PARTS) != plan_digest(spec(), PARTS)


def test_other_parts_have_another_digest_and_other_copies_of_scripts_have_not() -> None:
    edited = frozen({}, {"plain": {}, "tde": {}}, {}, {})
    assert plan_digest(spec(), edited) != plan_digest(spec(), PARTS)
    copied = Resolved.model_validate({**PARTS.to_dict(), "scripts": {"oltp": "copy"}, "hash": "x"})
    assert plan_digest(spec(), copied) == plan_digest(spec(), PARTS)


def test_every_follow_up_has_orders_of_its_own() -> None:
    first = spec(blocks={"extensions": 3})
    one = follow_up("demo", "u0", first, PARTS, 6)
    two = follow_up("demo-more-1", "u1", one, PARTS, 6)
    assert len({first.seed, one.seed, two.seed}) == 3
    assert one == follow_up("demo", "u0", first, PARTS, 6)


def test_names_count_on() -> None:
    first = spec(blocks={"extensions": 2})
    assert follow_up_name("demo", first) == "demo-more-1"
    one = follow_up("demo", "u0", first, PARTS, 6)
    assert follow_up_name("demo-more-1", one) == "demo-more-2"


def test_a_set_of_testbeds_stays_one_observation() -> None:
    first = spec(blocks={"min": 8, "perTestbed": 2})
    with pytest.raises(ValueError, match="with perTestbed"):
        follow_up("demo", "uid", first, PARTS, 6)
