"""What the administrator of an installation lets authors choose: images, hosts, nodes, disks.

The operator makes pods with its own rights, so that an author needs no right to create pods. Empty
lists allow everything. Where the API server has ValidatingAdmissionPolicies, the chart's policy
`choices` refuses the parts themselves by the same lists.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from encbench.admission.gather import Allowed, CampaignParts, jar_of
from encbench.api.base import Placement
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.api.workload import WorkloadSpec
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """Whether everything that the parts name is among it."""
    if found.installed is None:
        return
    allowed = found.installed.allowed
    for name, instance in found.instances.items():
        yield from _not_allowed(INSTANCE_TEMPLATE, name, _instance(allowed, instance))
    for name, workload in found.workloads.items():
        yield from _not_allowed(WORKLOAD, name, _workload(allowed, workload))
    for name, mode in found.modes.items():
        yield from _not_allowed(ENCRYPTION_MODE, name, _mode(allowed, mode))


def _not_allowed(kind: Kind, name: str, whys: Iterator[str]) -> Iterator[Problem]:
    for why in whys:
        yield Problem(kind, Reason.NOT_ALLOWED, f"{kind.kind} {name}: {why}", name)


def _instance(allowed: Allowed, instance: InstanceTemplateSpec) -> Iterator[str]:
    if instance.external is not None:
        yield from _host(allowed, instance.external.host)
        return
    yield from _image(allowed, instance.image)
    yield from _placement(allowed, instance.placement)
    yield from _storage_class(allowed, instance.embedded.storage.class_name)


def _workload(allowed: Allowed, workload: WorkloadSpec) -> Iterator[str]:
    yield from _image(allowed, workload.client.image)
    if workload.load_image is not None:
        yield from _image(allowed, workload.load_image)
    yield from _placement(allowed, workload.client.placement)


def _mode(allowed: Allowed, mode: EncryptionModeSpec) -> Iterator[str]:
    jar = jar_of(mode)
    if jar is not None and jar.url is not None:
        yield from _host(allowed, _host_of(jar.url))
    yield from _storage_class(allowed, mode.storage_class)


def _host_of(url: str) -> str:
    """Empty for what is no address, such as [::::]."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _image(allowed: Allowed, image: str | None) -> Iterator[str]:
    assert image is not None  # noqa: S101 - see `CampaignParts.with_images`
    repository = _repository(image)
    if allowed.images and not any(_is_in(repository, one) for one in allowed.images):
        yield (
            f"image {image} is not from {', '.join(allowed.images)}, which is all that this "
            "installation allows: name one from there, or have the chart's allowed.images changed"
        )
    if allowed.digests_only and "@sha256:" not in image:
        yield (
            f"image {image} has no digest, which this installation demands: write "
            "name@sha256:<64 hex digits>"
        )


def _repository(image: str) -> str:
    """The reference without tag and digest, as it is written; a registry may have a port."""
    path, slash, last = image.partition("@")[0].rpartition("/")
    return path + slash + last.partition(":")[0]


def _is_in(repository: str, place: str) -> bool:
    """Whether it is that repository, or below that folder."""
    goes_up = ".." in repository.split("/")
    return not goes_up and (repository == place or repository.startswith(f"{place}/"))


def _host(allowed: Allowed, host: str) -> Iterator[str]:
    host = host.lower()
    if allowed.hosts and not any(
        host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in allowed.hosts
    ):
        yield (
            f"{host} is none of the hosts that this installation allows "
            f"({', '.join(allowed.hosts)}): name one of them, or have the chart's allowed.hosts "
            "changed"
        )


def _placement(allowed: Allowed, placement: Placement) -> Iterator[str]:
    for key, value in placement.node_selector.items():
        pair = f"{key}={value}"
        if allowed.node_labels and not {key, pair} & {*allowed.node_labels}:
            yield (
                f"placement.nodeSelector has {pair}, which is none of the labels that this "
                f"installation allows ({', '.join(allowed.node_labels)}): write one of them, or "
                "have the chart's allowed.nodeLabels changed"
            )
    for one in placement.tolerations:
        taint = one.key or "every taint"
        written = {taint} if one.value is None else {taint, f"{taint}={one.value}"}
        if allowed.taints and not written & {*allowed.taints}:
            yield (
                f"placement.tolerations has {max(written, key=len)}, which is none of the taints "
                f"that this installation allows ({', '.join(allowed.taints)}): tolerate one of "
                "them, or have the chart's allowed.taints changed"
            )


def _storage_class(allowed: Allowed, name: str | None) -> Iterator[str]:
    if name is not None and allowed.storage_classes and name not in allowed.storage_classes:
        yield (
            f"StorageClass {name} is none of those that this installation allows "
            f"({', '.join(allowed.storage_classes)}): name one of them, or have the chart's "
            "allowed.storageClasses changed"
        )
