"""Volumes that can be full: each is a file system of its own, in a file of fixed size.

The databases' claims find theirs by the class; the store's claim is made before the chart asks for
one, because a StatefulSet takes a claim that is there.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster import mounts
from tests.cluster.layout import Layout
from tests.cluster.nodes import FIRST
from tests.support.install import NAMESPACE
from tests.support.kube import Kube

CLASS = "encbench-chaos"
DATABASES = 13
"""One more than four sets of three arms have: a campaign may lose some, and its claims with them.

They are files with holes, which are as large as what is in them.
"""
DATABASE_SIZE, STORE_SIZE = "1Gi", "4Gi"
STORE = "store"
STORE_CLAIM = "data-encbench-minio-0"
FILLER = "chaos-filler"

_BYTES = {DATABASE_SIZE: 1 << 30, STORE_SIZE: 4 << 30}
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Disk:
    """One file system, whose folder ``data`` is a volume."""

    layout: Layout
    name: str
    size: str

    @property
    def point(self) -> Path:
        return self.layout.state / "chaos" / self.name

    @property
    def data(self) -> Path:
        return self.point / "data"

    @property
    def volume(self) -> str:
        """Name of its PersistentVolume."""
        return f"{CLASS}-{self.name}"

    def mount(self) -> None:
        """Make it, unless it is there."""
        if any(mount.point == self.point for mount in mounts.mounted()):
            return
        self.point.mkdir(parents=True, exist_ok=True)
        image = self.point.with_suffix(".img")
        with image.open("wb") as file:
            file.truncate(_BYTES[self.size])
        _run("mkfs.ext4", "-q", "-m", "0", str(image))
        _run("mount", "-o", "loop", str(image), str(self.point))
        self.empty()

    def empty(self) -> None:
        """Remove what is in it."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir()
        self.data.chmod(0o777)

    def fill(self) -> None:
        """Leave no room in it."""
        step = 1 << 30
        with (self.point / FILLER).open("ab") as file:
            while step >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, step)
                except OSError:
                    step //= 2

    def free(self) -> bool:
        """Give the room back; whether it had been taken."""
        there = (self.point / FILLER).exists()
        (self.point / FILLER).unlink(missing_ok=True)
        return there

    def manifest(self) -> Manifest:
        """Its PersistentVolume, which serves the store's claim alone or any of a database."""
        claim = {"claimRef": {"namespace": NAMESPACE, "name": STORE_CLAIM}}
        here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [FIRST.name]}
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": self.volume, "labels": {CLASS: "yes"}},
            "spec": {
                "capacity": {"storage": self.size},
                "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": CLASS,
                "local": {"path": str(self.data)},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
                **(claim if self.name == STORE else {}),
            },
        }


def disks(layout: Layout) -> list[Disk]:
    """All of them; the store's is the last."""
    own = [Disk(layout, f"database-{n}", DATABASE_SIZE) for n in range(1, DATABASES + 1)]
    return [*own, Disk(layout, STORE, STORE_SIZE)]


def of_volume(layout: Layout, volume: str) -> Disk | None:
    """The disk behind a PersistentVolume."""
    return next((disk for disk in disks(layout) if disk.volume == volume), None)


def prepare(kube: Kube, layout: Layout) -> None:
    """Mount all, and offer them to claims. The store is one that has its claim here, or is new."""
    kube.apply(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": CLASS},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
    )
    for disk in disks(layout):
        disk.mount()
        if not kube.kubectl("get", "pv", disk.volume, "--ignore-not-found"):
            kube.apply(disk.manifest())
    kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    kube.apply(_store_claim())


def is_prepared(kube: Kube) -> bool:
    """Whether volumes of ours are there."""
    return bool(kube.kubectl("get", "storageclass", CLASS, "--ignore-not-found"))


def has_other_store(kube: Kube) -> bool:
    """Whether there is a store whose volume is not one of ours."""
    claim = kube.get("pvc", STORE_CLAIM, NAMESPACE)
    return claim is not None and claim["spec"].get("storageClassName") != CLASS


def recycle(kube: Kube, layout: Layout) -> None:
    """Offer again what claims have let go, empty."""
    for disk in disks(layout):
        phase = kube.kubectl("get", "pv", disk.volume, "--output=jsonpath={.status.phase}")
        if phase == "Released":
            kube.kubectl("delete", "pv", disk.volume, "--timeout=60s")
            disk.empty()
            kube.apply(disk.manifest())


def remove(kube: Kube, layout: Layout) -> None:
    """Take all back, when no pod uses them any more."""
    kube.kubectl("delete", "pvc", STORE_CLAIM, "-n", NAMESPACE, "--ignore-not-found")
    kube.kubectl("delete", "pv", "-l", CLASS, "--ignore-not-found", "--timeout=60s")
    kube.kubectl("delete", "storageclass", CLASS, "--ignore-not-found")
    for disk in disks(layout):
        mounts.unmount_below(disk.point)
    shutil.rmtree(layout.state / "chaos", ignore_errors=True)


def _store_claim() -> Manifest:
    labels = {
        "app.kubernetes.io/name": "encbench",
        "app.kubernetes.io/instance": "encbench",
        "app.kubernetes.io/component": "minio",
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": STORE_CLAIM, "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": CLASS,
            "volumeName": f"{CLASS}-{STORE}",
            "resources": {"requests": {"storage": STORE_SIZE}},
        },
    }


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=120)
