"""One campaign through the whole operator, and everything that the operator wrote on the way.

The operator is the revision's own, with the fakes of its own unit tests. Its writes are recorded at
the port; those of users and other controllers are not.
"""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.revisions import servers, surface
from tests.revisions.normal import Names, sent
from tests.revisions.parts import SPACE, Body
from tests.revisions.scenarios import Scenario

STEPS, SECONDS = 50_000, 7200.0
"""Steps and simulated seconds that a campaign may take."""


@dataclass
class Written:
    """What the operator sent to the API server."""

    names: Names = field(default_factory=Names)
    bodies: dict[tuple[str, str], list[tuple[str, Body]]] = field(default_factory=dict)
    """By kind and name: verb and body, where it differs from the one before."""
    status: dict[tuple[str, str], Body] = field(default_factory=dict)
    """The last one of each object."""
    events: list[Body] = field(default_factory=list)

    def listen(self, cluster: Any) -> None:
        """Stand between the operator and the fake API server."""
        for verb in ("create", "apply"):
            self._bodies_of(cluster, verb)
        apply_status, patch, delete = (cluster.apply_status, cluster.patch_metadata, cluster.delete)
        add, event = cluster.add, cluster.event

        async def status(kind: Any, body: Body) -> Body:
            stored: Body = await apply_status(kind, body)
            self.status[kind.kind, body["metadata"]["name"]] = body["status"]
            return stored

        async def patched(kind: Any, namespace: str, name: str, **changes: Any) -> None:
            await patch(kind, namespace, name, **changes)
            changes.pop("resource_version", None)
            self._note(kind, name, "patch", changes)

        async def deleted(kind: Any, namespace: str, name: str, uid: str) -> None:
            await delete(kind, namespace, name, uid)
            self._note(kind, name, "delete", {})

        async def told(kind: Any, regarding: Body, reason: str, note: str, **more: Any) -> None:
            about = f"{kind.kind} {regarding['metadata']['name']}"
            said = {"about": about, "reason": reason, "note": note, **more}
            if said not in self.events:
                self.events.append(said)
            await event(kind, regarding, reason, note, **more)

        def added(kind: Any, body: Body) -> Body:
            stored: Body = add(kind, body)
            self.names.know(stored)
            return stored

        cluster.apply_status, cluster.patch_metadata, cluster.delete = status, patched, deleted
        cluster.add, cluster.event = added, told

    def _bodies_of(self, cluster: Any, verb: str) -> None:
        send = getattr(cluster, verb)

        async def sending(kind: Any, body: Body) -> Body:
            stored: Body = await send(kind, body)
            self.names.know(stored)
            self._note(kind, body["metadata"]["name"], verb, sent(body))
            return stored

        setattr(cluster, verb, sending)

    def _note(self, kind: Any, name: str, verb: str, body: Body) -> None:
        known = self.bodies.setdefault((kind.kind, name), [])
        if not known or known[-1] != (verb, body):
            known.append((verb, body))

    def write(self, folder: Path) -> None:
        """One file for each body and each status."""
        for (kind, name), known in self.bodies.items():
            for number, (verb, body) in enumerate(known, 1):
                self._json(folder / "objects" / kind / name / f"{number:02}-{verb}.json", body)
        for (kind, name), status in self.status.items():
            self._json(folder / "objects" / kind / name / "status.json", status)
        said = sorted(self.events, key=lambda one: (one["about"], one["reason"], one["note"]))
        self._json(folder / "events.json", said)

    def _json(self, path: Path, value: Any) -> None:
        _put(path, self.names.sent(json.dumps(value, indent=1, sort_keys=True)).encode())


async def simulate(scenario: Scenario, folder: Path) -> str | None:
    """Run the campaign and write its files; None, or how and why it ended unexpectedly."""
    world = surface.find("World")(volume_image="gocryptfs:test")
    assert (surface.find("SPACE"), surface.find("NAME")) == (SPACE, "study")
    written = Written()
    written.listen(world.cluster)
    servers.install(world, scenario.engine, tpcc=scenario.tpcc)
    world.plan = _plan(scenario)
    kinds = {kind.kind: kind for kind in vars(surface.find("kinds")).values() if _is_kind(kind)}
    for body in scenario.objects():
        world.cluster.add(kinds[body["kind"]], body)

    def over() -> bool:
        _bind(world, kinds)
        return _phase(written) in ("Succeeded", "Failed", "Refused")

    with suppress(AssertionError):  # It does not end: the phase says so below.
        await world.run(over, limit=STEPS, seconds=SECONDS)
        if scenario.ends != "Refused":
            await world.settle(120)
    written.names.stored(world.store.objects)
    written.write(folder)
    for key, content in world.store.objects.items():
        _put(folder / "bucket" / written.names.text(key), written.names.content(content))
    _put(folder / "report.txt", _table(written))
    _put(folder / "outcomes.txt", f"{_phase(written)}: {_outcomes(written)}\n".encode())
    if _phase(written) == scenario.ends:
        return None
    return f"{_phase(written)} and not {scenario.ends}: {_why(world, written)}"


def _plan(scenario: Scenario) -> Any:
    """How the clients of a trial run."""

    def plan(trial: Any, usual: Any) -> Any:
        spec = trial.spec
        faults = scenario.faults.get((spec.block, spec.arm.name))
        if faults is not None:
            return replace(usual, **faults)
        if spec.workload.tpcc is None or usual.session is None:
            return usual
        # The client prints what its driver read, before the run and after it, beside its session.
        read = [f"encbench-columns {table} {servers.DIGEST}" for table in servers.TPCC_TABLES]
        cipher = "\n".join([usual.session.cipher, *read, *read])
        return replace(usual, session=usual.session.model_copy(update={"cipher": cipher}))

    return plan


def _bind(world: Any, kinds: dict[str, Any]) -> None:
    """What a provisioner does with the claims of a class that is named."""
    for claim in world.latest("PersistentVolumeClaim", ""):
        name, spec = claim["metadata"]["name"], claim["spec"]
        if spec.get("volumeName") or spec.get("storageClassName") is None:
            continue
        volume = {"csi": {"driver": "csi.example.com", "volumeAttributes": {"encrypted": "true"}}}
        maker = {"pv.kubernetes.io/provisioned-by": "csi.example.com"}
        meta = {"name": f"pv-{name}", "annotations": maker}
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": volume}
        world.cluster.set_spec(kinds["PersistentVolumeClaim"], SPACE, name, volumeName=f"pv-{name}")
        world.cluster.add(kinds["PersistentVolume"], body)


def _is_kind(value: Any) -> bool:
    return hasattr(value, "api_version") and hasattr(value, "plural")


def _phase(written: Written) -> str:
    status = written.status.get(("Campaign", "study"), {})
    done = {fact["type"] for fact in status.get("conditions", ()) if fact["status"] == "True"}
    if done & {"Complete", "Failed"}:
        return str(status["phase"])
    return "Refused" if status.get("phase") == "Refused" else "Running"


def _outcomes(written: Written) -> str:
    ends = Counter(
        " ".join(filter(None, (status.get("outcome"), status.get("reason"))))
        for (kind, _), status in written.status.items()
        if kind == "Trial"
    )
    return ", ".join(f"{count} {end}" for end, count in sorted(ends.items())) or "no trials"


def _why(world: Any, written: Written) -> str:
    told = written.status.get(("Campaign", "study"), {}).get("conditions", ())
    return "; ".join([*(fact["message"] for fact in told), world.describe()])


def _table(written: Written) -> bytes:
    """What `kubectl encbench report` prints of the OverheadReport."""
    status = written.status.get(("OverheadReport", "study"))
    if status is None:
        return b""
    read = surface.find("ReportStatus").model_validate(status)
    return written.names.text(surface.find("summary")(read)).encode()


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
