"""The campaign that a follow-up continues, and whether the follow-up keeps to its plan."""

from collections.abc import Iterator
from dataclasses import dataclass

from encbench.admission.follow_up import follow_up, follow_up_name, follow_ups, most_follow_ups
from encbench.api.campaign import FROZEN_FIELDS, CampaignSpec, CampaignStatus, Extends, Resolved
from encbench.api.conditions import is_true
from encbench.api.kinds import CAMPAIGN
from encbench.api.lifecycle import COMPLETE, FAILED
from encbench.core.problem import Problem, Reason
from encbench.kube.parsing import parse, parse_spec
from encbench.ports import Body


@dataclass(frozen=True)
class Extended:
    """A campaign that may be extended."""

    name: str
    uid: str
    spec: CampaignSpec
    status: CampaignStatus

    @property
    def resolved(self) -> Resolved:
        """The specs that it measured."""
        return self.status.resolved or Resolved()

    @property
    def obstacle(self) -> str:
        """Why it cannot be extended, with what to do instead; empty where it can."""
        if is_true(self.status.conditions, FAILED):
            return (
                f"campaign {self.name} failed, and nothing more is measured for it: apply a new "
                "campaign"
            )
        if not is_true(self.status.conditions, COMPLETE):
            return f"campaign {self.name} is not complete: extend it once all its blocks are valid"
        done, most = follow_ups(self.spec), most_follow_ups(self.spec)
        if done >= most:
            return (
                f"campaign {self.name} is follow-up {done} of the {most} that its plan allows: "
                "apply a new campaign with more blocks, or with blocks.extensions"
            )
        return ""


def extended(body: Body) -> Extended:
    """The campaign; Malformed where it does not fit."""
    meta = body["metadata"]
    where = f"Campaign {meta['name']}: status"
    status = parse(CampaignStatus, body.get("status") or {}, where)
    return Extended(meta["name"], meta["uid"], parse_spec(CampaignSpec, body), status)


def problems(
    name: str, namespace: str, own: CampaignSpec, extends: Extends, first: Extended | None
) -> Iterator[Problem]:
    """Why the campaign `name` is not a follow-up of `first`, which it says it extends."""
    if first is None or first.uid != extends.uid:
        text = (
            f"there is no Campaign {extends.name} with UID {extends.uid} in namespace {namespace}: "
            "delete this one, because a follow-up needs the campaign that it extends"
        )
        yield Problem(CAMPAIGN, Reason.NOT_FOUND, text, extends.name)
        return
    again = f"kubectl encbench extend {first.name} --blocks {own.blocks.min}"
    made = f"delete this one, then: {again}"
    if first.obstacle:
        yield Problem(CAMPAIGN, Reason.NOT_EXTENDABLE, first.obstacle, first.name)
        return
    if (wanted := follow_up_name(first.name, first.spec)) != name:
        text = (
            f"the only follow-up of campaign {first.name} is {wanted}, so that none can be left "
            f"out: {made}"
        )
        yield Problem(CAMPAIGN, Reason.NOT_EXTENDABLE, text, name)
        return
    try:
        planned = follow_up(first.name, first.uid, first.spec, first.resolved, own.blocks.min)
    except ValueError as error:
        text = (
            f"the plan of campaign {first.name} does not allow blocks.min {own.blocks.min}: "
            f"{error}; delete this one, and extend {first.name} with a number that it allows"
        )
        yield Problem(CAMPAIGN, Reason.NOT_EXTENDABLE, text, name)
        return
    ours, theirs = own.to_dict(), planned.to_dict()
    other = [field for field in FROZEN_FIELDS if ours.get(field) != theirs.get(field)]
    if other:
        # The digest of the plan is one version's: each has its own fields with defaults.
        text = (
            f"{', '.join(other)}: not as the plan of campaign {first.name} asks: {made}, with "
            "the plugin of the operator's version"
        )
        yield Problem(CAMPAIGN, Reason.NOT_EXTENDABLE, text, name)
