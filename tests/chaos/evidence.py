"""What is found of a campaign that is over, and what is left of one that is gone."""

import json
import re
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from tests.chaos import disks, network
from tests.chaos.oracle import Body, Evidence
from tests.chaos.scene import Scene, groups
from tests.cluster import cgroups, mounts
from tests.e2e import readings
from tests.e2e.bucket import Bucket, bucket
from tests.e2e.campaigns import trials
from tests.support.install import NAMESPACE
from tests.support.kube import Kube

KINDS = (
    "campaigns,testbeds,trials,overheadreports,statefulsets,jobs,pods,services,secrets,configmaps,"
    "persistentvolumeclaims"
)
_POD = re.compile(r"/pods?/?([0-9a-f]{8}-[0-9a-f-]{27})")


def gather(scene: Scene) -> Evidence:
    """Everything that the oracle needs of the scene's campaign."""
    kube, name = scene.kube, scene.campaign
    campaign = kube.get("campaign", name, NAMESPACE) or {}
    report = (kube.get("overheadreport", name, NAMESPACE) or {}).get("status", {})
    unresolved: list[str] = []
    index: Body = {}
    tps: dict[str, float] = {}
    with bucket(kube) as store:
        if report.get("artefacts"):
            artefacts = {n: a for n, a in report["artefacts"].items() if n != "bucket"}
            found = {n: _object(store, a, unresolved) for n, a in artefacts.items()}
            index = json.loads(found["index"] or b"{}")
        for entry in index.get("trials", []):
            if not entry.get("key"):
                continue
            record = json.loads(_object(store, entry, unresolved) or b"{}")
            folder = entry["key"].rpartition("/")[0]
            raw = {
                file: _object(store, {"key": f"{folder}/{file}", "digest": digest}, unresolved)
                for file, digest in record.get("artefacts", {}).items()
            }
            log = raw.get("client-0/output.log")
            if entry["outcome"] == "Succeeded" and log:
                tps[entry["name"]] = readings.figures(log.decode())["tps"]
    return Evidence(campaign, trials(kube, name), report, index, unresolved, tps)


def left(kube: Kube) -> list[str]:
    """What is still there of campaigns that are gone: objects, mounts, processes."""
    selector = "app.kubernetes.io/managed-by=encbench"
    living = {one["metadata"]["name"] for one in kube.list("campaigns", NAMESPACE)}
    there = [
        one
        for one in kube.list(KINDS, NAMESPACE, selector)
        if one["metadata"]["labels"].get("encbench.io/campaign") not in living
    ]
    found = [f"{body['kind']} {body['metadata']['name']}" for body in there]
    # Leases of nodes stay, without a holder.
    for lease in kube.list("leases", NAMESPACE, "app.kubernetes.io/component=node-lease"):
        holder = lease["spec"].get("holderIdentity") or ""
        if holder and holder.split("/")[1] not in living:
            found.append(f"lease {lease['metadata']['name']} is held by {holder}")
    text = kube.kubectl(
        "get", "pods", "--all-namespaces", "--output=jsonpath={.items[*].metadata.uid}"
    )
    pods = set(text.split())
    found += [f"mount {point}" for point in _mounts() if pod_of(str(point)) not in {None, *pods}]
    for pid in cgroups.members():
        uid = pod_of(groups(pid))
        if uid is not None and uid not in pods:
            found.append(f"process {pid} of pod {uid}")
    return found


def marks(scene: Scene) -> list[str]:
    """What is still there of the faults themselves: each of them must have been undone."""
    found = [f"rule {one}" for one in network.restore_all()]
    found += [f"file on {disk.name}" for disk in disks.disks(scene.layout) if disk.free()]
    return found


def _object(store: Bucket, artefact: Body, unresolved: list[str]) -> bytes | None:
    """An object, whose digest is right; otherwise nothing, and a word about it."""
    try:
        return readings.checked(store, artefact)
    except (AssertionError, ClientError, BotoCoreError) as error:
        unresolved.append(f"{artefact['key']}: {error}")
        return None


def _mounts() -> list[Path]:
    return [mount.point for mount in mounts.mounted()]


def pod_of(path: str) -> str | None:
    """The UID of the pod that a path of the kubelet or a control group belongs to."""
    found = _POD.search(path)
    return found[1] if found else None
