"""A follow-up: the same plan once more, with a number of blocks that is fixed when it is asked for.

docs/design/0013-extend.md has the rule. Everything here is a function of the campaign that is
extended, so whoever makes a follow-up and whoever admits it come to the same.
"""

from typing import Any

from pydantic import ValidationError

from encbench.api.campaign import MIN_UNITS, Blocks, CampaignSpec, Extends, Resolved
from encbench.core.naming import child_name, digest


def plan_digest(spec: CampaignSpec, resolved: Resolved) -> str:
    """Digest of what a campaign and its follow-ups have in common.

    Left out is what a follow-up has of its own: its number of blocks, and the seed of its orders.
    So is how many cells are measured side by side, which changes no result. Scripts are too,
    because their names are the campaign's, and earlier releases recorded no digests; the operator
    copies the copies.
    """
    own = spec.to_dict()
    left_out = ("seed", "precision", "extends", "suspend", "parallelism")
    for name in (*left_out, "activeDeadlineSeconds", "ttlSecondsAfterFinished"):
        own.pop(name, None)
    for name in ("min", "max", "solo"):
        own["blocks"].pop(name)
    parts: dict[str, Any] = resolved.to_dict()
    for name in ("scripts", "scriptDigests", "hash"):
        parts.pop(name, None)
    return f"sha256:{digest([own, parts])}"


def follow_up_name(name: str, spec: CampaignSpec) -> str:
    """Name of the only campaign that may extend this one: `demo-more-1`, then `demo-more-2`."""
    done = follow_ups(spec)
    return child_name(name.removesuffix(f"-more-{done}"), "more", done + 1)


def follow_up(
    name: str, uid: str, spec: CampaignSpec, resolved: Resolved, blocks: int
) -> CampaignSpec:
    """The spec of the follow-up of that campaign, without its deadline, which was for other blocks.

    ValueError, with what to write, where the plan does not allow that many `blocks`.
    """
    each = spec.blocks.per_testbed
    if 0 < blocks < MIN_UNITS * each:
        # The rule of the API names blocks.min and perTestbed, which whoever extends does not write.
        raise ValueError(
            f"with perTestbed: {each} each set of testbeds is one observation, and an interval "
            f"needs at least four: write --blocks {MIN_UNITS * each} or more"
        )
    number = follow_ups(spec) + 1
    not_copied = {"precision", "blocks", "extends", "seed", "suspend", "active_deadline_seconds"}
    own = spec.blocks.to_dict() | {"min": blocks, "solo": 0}
    try:
        planned = Blocks.model_validate(own)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    return CampaignSpec.model_validate(
        spec.model_dump(exclude=not_copied)
        | {
            "blocks": planned,
            "seed": int(digest([spec.seed, "extend", number])[:8], 16),
            "extends": Extends(
                name=name, uid=uid, plan_digest=plan_digest(spec, resolved), number=number
            ),
        }
    )


def follow_ups(spec: CampaignSpec) -> int:
    """Which follow-up a campaign is; 0 for the one that was extended first."""
    return spec.extends.number if spec.extends else 0


def most_follow_ups(spec: CampaignSpec) -> int:
    """How many follow-ups a plan allows: as many as were announced, else one that stands alone."""
    return max(1, spec.blocks.extensions)
