"""Objects of our kinds, parsed at the door: inside the reconcilers nothing is a raw dict chain."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from encbench.api import kinds
from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, CampaignStatus
from encbench.api.kinds import Kind
from encbench.api.overheadreport import OverheadReportSpec, OverheadReportStatus
from encbench.api.testbed import TestbedSpec, TestbedStatus
from encbench.api.trial import TrialSpec, TrialStatus
from encbench.kube.labels import owner_reference
from encbench.kube.parsing import parse, parse_spec
from encbench.ports import Body

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


Campaign = Object[CampaignSpec, CampaignStatus]
Testbed = Object[TestbedSpec, TestbedStatus]
Trial = Object[TrialSpec, TrialStatus]
OverheadReport = Object[OverheadReportSpec, OverheadReportStatus]


def campaign(body: Body) -> Campaign:
    """Parse; Malformed when it does not fit."""
    return _parse(kinds.CAMPAIGN, CampaignSpec, CampaignStatus, body)


def testbed(body: Body) -> Testbed:
    """Parse; Malformed when it does not fit."""
    return _parse(kinds.TESTBED, TestbedSpec, TestbedStatus, body)


def trial(body: Body) -> Trial:
    """Parse; Malformed when it does not fit."""
    return _parse(kinds.TRIAL, TrialSpec, TrialStatus, body)


def overhead_report(body: Body) -> OverheadReport:
    """Parse; Malformed when it does not fit."""
    return _parse(kinds.OVERHEAD_REPORT, OverheadReportSpec, OverheadReportStatus, body)


def _parse(kind: Kind, spec: type[S], status: type[T], body: Body) -> Object[S, T]:
    meta = body["metadata"]
    return Object(
        kind=kind,
        name=meta["name"],
        namespace=meta["namespace"],
        uid=meta["uid"],
        generation=meta.get("generation", 1),
        labels=dict(meta.get("labels") or {}),
        finalizers=tuple(meta.get("finalizers") or ()),
        created=meta.get("creationTimestamp", ""),
        deleting=meta.get("deletionTimestamp") is not None,
        spec=parse_spec(spec, body),
        status=parse(status, body.get("status") or {}, f"{kind.kind} {meta['name']}: status"),
        body=body,
    )


def belongs_to(body: Body | None, uid: str) -> bool:
    """Whether an object exists and that incarnation of ours owns it.

    A child of the same name may still be there from an earlier incarnation that was deleted.
    """
    if body is None:
        return False
    return uid in [owner["uid"] for owner in body["metadata"].get("ownerReferences") or []]
