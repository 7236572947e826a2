"""Installing the chart as a user does, on a cluster of our own or on an existing one."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

from tests.cluster.images import CHART_IMAGES
from tests.cluster.versions import IMAGE_PREFIX, IMAGE_TAGS, image
from tests.support.kube import Kube, import_images

RELEASE = "encbench"
NAMESPACE = "encbench"
OPERATOR = f"system:serviceaccount:{NAMESPACE}:{RELEASE}-operator"
"""The user as whom the operator acts."""
OPERATOR_PODS = "app.kubernetes.io/name=encbench,app.kubernetes.io/component=operator"
"""The labels of its pods."""
OWN_SERVERS = ("mariadb", "mysql", "postgresql")
"""Engines of which a cluster of our own has our images, and no way to upstream's."""


def is_own() -> bool:
    """Whether the cluster is ours, on this machine; with CLUSTER=existing it is the current one."""
    return os.environ.get("CLUSTER") != "existing"


@cache
def cluster(*needed: str) -> Kube:
    """A real cluster that has at least the images of the chart's own pods.

    One of our own is made with what these images need, or with all that there is.
    """
    return Kube.own(CHART_IMAGES, needed) if is_own() else Kube.current()


@cache
def installation(*needed: str) -> Kube:
    """The cluster with the chart installed; one of our own has these images, or all."""
    kube = cluster(*needed)
    with ThreadPoolExecutor(1) as pool:
        # Pods take their time to get ready, and so does unpacking.
        images = pool.submit(import_images, *needed) if is_own() else None
        install(kube)
        if images is not None:
            images.result()
    return kube


def install(kube: Kube, *values: str, chart: str = "charts/encbench") -> None:
    """`helm upgrade --install`, waiting until everything is ready. `values` are `--set` pairs.

    Values files that the environment names in VALUES come before these.
    """
    deployment = f"deployment/{RELEASE}-operator"
    there = kube.kubectl("get", deployment, f"--namespace={NAMESPACE}", "--ignore-not-found")
    kube.run(
        "helm",
        "upgrade",
        "--install",
        RELEASE,
        chart,
        f"--namespace={NAMESPACE}",
        "--create-namespace",
        "--reset-values",  # without it and without any value, Helm keeps those of last time
        "--wait",
        f"--timeout={'4m' if is_own() else '20m'}",  # elsewhere, nodes pull images first
        "--values=-",
        *(f"--values={file}" for file in os.environ.get("VALUES", "").split()),
        *(f"--set={value}" for value in values),
        stdin=json.dumps(_own_images()),
    )
    if there:
        # The image's tag does not change with its content, so that helm sees nothing to roll out.
        kube.kubectl("rollout", "restart", deployment, f"--namespace={NAMESPACE}")
        kube.kubectl("rollout", "status", deployment, f"--namespace={NAMESPACE}", "--timeout=2m")


def _own_images() -> dict[str, Any]:
    """Values for a cluster of our own, whose images were never released and have tags of ours."""
    if not is_own():
        return {}
    servers = {engine: f"{IMAGE_PREFIX}/{engine}" for engine in OWN_SERVERS}
    return {
        "servers": {**servers, "postgresql-enclave": image("postgresql")},
        "tools": {name: {"tag": IMAGE_TAGS[name]} for name in ("sysbench", "tpcc")},
        "privilegedVolumes": {"image": {"tag": IMAGE_TAGS["gocryptfs"]}},
        "image": {"tag": IMAGE_TAGS["operator"]},
        "turnstile": {"image": {"tag": IMAGE_TAGS["turnstile"]}},
        "confidentialProxy": {"image": {"tag": IMAGE_TAGS["confidential-proxy"]}},
        "minio": {"image": {"tag": IMAGE_TAGS["minio"]}},
        "prometheus": {"image": {"tag": IMAGE_TAGS["prometheus"]}},
        "nodeExporter": {"image": {"tag": IMAGE_TAGS["node-exporter"]}},
    }


def enforce(kube: Kube, level: str) -> None:
    """Have the tests' namespace enforce a Pod Security Standard, whatever it did before."""
    label = f"pod-security.kubernetes.io/enforce={level}"
    kube.kubectl("label", "namespace", NAMESPACE, label, "--overwrite")


@contextmanager
def privileged_volumes(kube: Kube) -> Iterator[None]:
    """Chart and namespace allow gocryptfs' privileged container, and forbid it again afterwards."""
    install(kube, "privilegedVolumes.enabled=true")
    enforce(kube, "privileged")
    try:
        yield
    finally:
        install(kube, "privilegedVolumes.enabled=false")
        enforce(kube, "restricted")


@contextmanager
def databases_outside(kube: Kube, address: str, *ports: int) -> Iterator[None]:
    """Load steps and clients may reach external databases at this address, and no others."""
    listed = "networkPolicy.databases[0]"
    numbers = ",".join(map(str, ports))
    install(kube, f"{listed}.cidr={address}/32", f"{listed}.ports={{{numbers}}}")
    try:
        yield
    finally:
        install(kube)


def uninstall(kube: Kube) -> None:
    """`helm uninstall`, waiting until everything is gone."""
    kube.run("helm", "uninstall", RELEASE, f"--namespace={NAMESPACE}", "--wait", "--timeout=3m")
