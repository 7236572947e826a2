"""What a pass over a testbed has seen."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from encbench.api.testbed import Machine
from encbench.core.certificates import KeyPair
from encbench.core.evidence import Proof
from encbench.core.starts import Start
from encbench.kube import affinity, labels
from encbench.ports import Body
from encbench.reconcile.absences import NEVER, Absences
from encbench.reconcile.checks import Checked
from encbench.reconcile.claims import FoundOnNodes
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import JobFacts, PodFacts
from encbench.reconcile.troubles import Trouble


@dataclass(frozen=True)
class SetFacts:
    """The StatefulSet as it was read."""

    body: Body

    @property
    def replicas(self) -> int:
        """How many pods it should have."""
        return int(self.body["spec"].get("replicas", 1))

    @property
    def start(self) -> Start:
        """What its next pod is made for."""
        meta = self.body["spec"]["template"].get("metadata") or {}
        return start_named(meta.get("annotations") or {})

    def scaled(self, replicas: int, start: Start, node: str | None = None) -> Body:
        """The object to apply: as it is, but for these. It must not have changed meanwhile.

        `node` is the one on which the next pod runs if it can.
        """
        meta = self.body["metadata"]
        spec = copy.deepcopy(self.body["spec"])
        spec["replicas"] = replicas
        template = spec["template"]
        own = template.get("metadata") or {}
        started = {labels.START: start.name, labels.RESET: start.reset}
        template["metadata"] = {**own, "annotations": {**(own.get("annotations") or {}), **started}}
        if node is not None:
            pod = template["spec"]
            pod["affinity"] = affinity.staying(pod.get("affinity") or {}, node)
        kept = ("name", "namespace", "labels", "ownerReferences", "resourceVersion")
        return {
            "apiVersion": self.body["apiVersion"],
            "kind": self.body["kind"],
            "metadata": {field: meta[field] for field in kept if field in meta},
            "spec": spec,
        }


def start_named(annotations: Mapping[str, str]) -> Start:
    """The start that a pod with these annotations is made for."""
    return Start(annotations.get(labels.START, ""), annotations.get(labels.RESET, ""))


@dataclass(frozen=True)
class FullProof:
    """The proof by a scan of all files, and whether the store has it."""

    proof: Proof | None = None
    digest: str | None = None
    """Of the proof as stored; None when the store did not take it yet."""
    store_problem: str = ""
    """Why the store did not take it."""


@dataclass(frozen=True)
class TestbedFound(FoundOnNodes):
    """What effects have found that no status says yet."""

    __test__ = False

    checked: Checked | None = None
    """What the checks of the fresh dataset came to, once they are through."""
    rested: bool = False
    """Whether the server has written what the load left, before it is stopped for a copy."""
    proof: FullProof = FullProof()
    resting: str | None = None
    """When this process first had a slot for that proof, and a store for it, RFC 3339: from then on
    the server is asked to write what the load left."""
    asked: str | None = None
    """When that was done or given up, so that the proof itself was first asked for, RFC 3339."""
    problem: str = ""
    """Why the last effect came to nothing."""


@dataclass(frozen=True)
class TestbedSeen:
    """Everything that a decision is made from."""

    __test__ = False

    now: datetime
    has_credentials: bool
    """Whether its login was made; it is not looked for once the database answers."""
    stateful_set: SetFacts | None = None
    database: PodFacts | None = None
    load: JobFacts | None = None
    loaders: tuple[PodFacts, ...] = ()
    """The load's pods that have not ended, whether its Job is there or deleted. Before it is there,
    also those of earlier testbeds, by its name or in its external database."""
    loading: tuple[str, ...] = ()
    """The campaign's testbeds whose loads have room; looked for while its own load has none."""
    full: str = ""
    """What is left of the database's volume where that is little; looked for once a load ends."""
    trial: Trial | None = None
    """The trial that the testbed is for now."""
    neighbours: tuple[str, ...] = ()
    """Databases of the same cell that still exist, where only one may."""
    authority: KeyPair | None = None
    """The campaign's CA; looked for only until there are credentials."""
    server_started: float | None = None
    """Start of the server process, Unix time; None while the agent does not answer."""
    machine: Machine | None = None
    """The node that the server runs on; None while the agent is not asked about it."""
    server_version: str = ""
    connections: int | None = None
    """How many the server allows; it allows fewer than its settings say where it may not open as
    many files."""
    problem: str = ""
    """Why the agent does not answer, or what an external database lacks."""
    rival: str = ""
    """Another campaign's testbed on the same external database."""
    login: dict[str, str] | None = field(default=None, repr=False)
    """What the user's Secret has for an external database; only until there are credentials."""
    keys: dict[str, str] = field(default_factory=dict, repr=False)
    """The user's own, by the entries of the testbed's Secrets; only until there are credentials."""
    missing: Trouble | None = None
    """What the owner of a key or a driver has to do before it may be copied or mounted; looked for
    until the database answers."""
    lacking: str = ""
    """What an administrator has to do before the database of such a mode may be made."""
    campaign_ended: datetime | None = None
    """When its campaign ended; looked for once the testbed has failed and has logs to read."""
    budget: str | None = None
    """UID of its database's PodDisruptionBudget; looked for after that end."""
    found: TestbedFound = TestbedFound()
    absences: Absences = NEVER
