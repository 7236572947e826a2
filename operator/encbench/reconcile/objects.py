"""Objects of our kinds, parsed at the door: inside the reconcilers nothing is a raw dict chain."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from encbench.api import kinds
from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, CampaignStatus
from encbench.api.conditions import is_true
from encbench.api.kinds import Kind
from encbench.api.lifecycle import COMPLETE, FAILED
from encbench.api.overheadreport import OverheadReportSpec, OverheadReportStatus
from encbench.api.testbed import TestbedSpec, TestbedStatus
from encbench.api.trial import TrialSpec, TrialStatus
from encbench.kube.labels import owner_reference
from encbench.kube.parsing import Malformed, parse, parse_spec
from encbench.ports import Body, Reader

S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model)


@dataclass(frozen=True)
class Object(Generic[S, T]):
    """One object of ours as it was read."""

    kind: Kind
    name: str
    namespace: str
    uid: str
    generation: int
    labels: dict[str, str]
    finalizers: tuple[str, ...]
    created: str
    deleting: bool
    spec: S
    status: T
    body: Body

    @property
    def owner(self) -> dict[str, Any]:
        """The owner reference that this object's children carry."""
        return owner_reference(self.kind, self.name, self.uid)

    def with_status(self, status: T) -> Body:
        """The body to hand to `Cluster.apply_status`."""
        return {**self.body, "status": status.to_dict()}


@dataclass(frozen=True)
class OwnKind(Generic[S, T]):
    """One of our kinds. Called with a body it parses it; Malformed when it does not fit.

    A campaign that is not accepted yet is read strictly (`kube.parsing`).
    """

    kind: Kind
    spec: type[S]
    status: type[T]

    def __call__(self, body: Body) -> Object[S, T]:
        """The object, as it was read."""
        meta, where = body["metadata"], f"{self.kind.kind} {body['metadata']['name']}: status"
        status = parse(self.status, body.get("status") or {}, where)
        is_new = isinstance(status, CampaignStatus) and status.resolved is None
        return Object(
            kind=self.kind,
            name=meta["name"],
            namespace=meta["namespace"],
            uid=meta["uid"],
            generation=meta.get("generation", 1),
            labels=dict(meta.get("labels") or {}),
            finalizers=tuple(meta.get("finalizers") or ()),
            created=meta.get("creationTimestamp", ""),
            deleting=meta.get("deletionTimestamp") is not None,
            spec=parse_spec(self.spec, body, strict=is_new),
            status=status,
            body=body,
        )


Campaign = Object[CampaignSpec, CampaignStatus]
Testbed = Object[TestbedSpec, TestbedStatus]
Trial = Object[TrialSpec, TrialStatus]
OverheadReport = Object[OverheadReportSpec, OverheadReportStatus]

campaign = OwnKind(kinds.CAMPAIGN, CampaignSpec, CampaignStatus)
testbed = OwnKind(kinds.TESTBED, TestbedSpec, TestbedStatus)
trial = OwnKind(kinds.TRIAL, TrialSpec, TrialStatus)
overhead_report = OwnKind(kinds.OVERHEAD_REPORT, OverheadReportSpec, OverheadReportStatus)


def has_ended(one: Campaign) -> bool:
    """Whether nothing more will be measured for it, whichever way it ended."""
    return any(is_true(one.status.conditions, kind) for kind in (COMPLETE, FAILED))


def is_over(body: Body) -> bool:
    """The same of a campaign that was read and is not worth parsing."""
    return any(holds(body, kind) for kind in (COMPLETE, FAILED))


def holds(body: Body, kind: str) -> bool:
    """Whether the condition of that type holds for an object that is not worth parsing."""
    conditions = (body.get("status") or {}).get("conditions")
    facts = conditions if isinstance(conditions, list) else []
    wanted = {"type": kind, "status": "True"}.items()
    return any(isinstance(fact, dict) and wanted <= fact.items() for fact in facts)


async def under_way(reader: Reader, namespace: str) -> list[Campaign]:
    """A namespace's campaigns that have not ended; one that does not parse is left out."""
    found = []
    for body in await reader.list(kinds.CAMPAIGN, namespace):
        if not is_over(body):
            with suppress(Malformed):
                found.append(campaign(body))
    return found


def belongs_to(body: Body | None, uid: str) -> bool:
    """Whether an object exists and that incarnation of ours owns it.

    A child of the same name may still be there from an earlier incarnation that was deleted.
    """
    if body is None:
        return False
    return uid in [owner["uid"] for owner in body["metadata"].get("ownerReferences") or []]
