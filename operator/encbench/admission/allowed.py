"""What the administrator of an installation lets authors choose: images and hosts.

The operator makes pods of these images with its own rights, so that an author needs no right to
create pods. Empty lists allow everything.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from encbench.admission.gather import Allowed, CampaignParts, jar_of
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.core.problem import Problem, Reason
from encbench.database.pod import server_image


def check(found: CampaignParts) -> Iterator[Problem]:
    """Whether everything that the parts name is among it."""
    if found.installed is None:
        return
    allowed = found.installed.allowed
    for name, instance in found.instances.items():
        if instance.external is None:
            yield from _image(allowed, INSTANCE_TEMPLATE, name, server_image(instance))
        else:
            yield from _host(allowed, INSTANCE_TEMPLATE, name, instance.external.host)
    for name, workload in found.workloads.items():
        yield from _image(allowed, WORKLOAD, name, workload.client.image)
    for name, mode in found.modes.items():
        jar = jar_of(mode)
        if jar is not None and jar.url is not None:
            yield from _host(allowed, ENCRYPTION_MODE, name, urlsplit(jar.url).hostname or "")


def _image(allowed: Allowed, kind: Kind, name: str, image: str | None) -> Iterator[Problem]:
    assert image is not None  # noqa: S101 - see `CampaignParts.with_images`
    repository = _repository(image)
    if allowed.images and not any(_is_in(repository, one) for one in allowed.images):
        choice = ", ".join(allowed.images)
        text = (
            f"{kind.kind} {name}: image {image} is not from {choice}, which is all that this "
            "installation allows: name one from there, or have the chart's allowed.images changed"
        )
        yield Problem(kind, Reason.NOT_ALLOWED, text, name)
    if allowed.digests_only and "@sha256:" not in image:
        text = (
            f"{kind.kind} {name}: image {image} has no digest, which this installation demands: "
            "write name@sha256:<64 hex digits>"
        )
        yield Problem(kind, Reason.NOT_ALLOWED, text, name)


def _repository(image: str) -> str:
    """The reference without tag and digest, as it is written; a registry may have a port."""
    path, slash, last = image.partition("@")[0].rpartition("/")
    return path + slash + last.partition(":")[0]


def _is_in(repository: str, place: str) -> bool:
    """Whether it is that repository, or below that folder."""
    goes_up = ".." in repository.split("/")
    return not goes_up and (repository == place or repository.startswith(f"{place}/"))


def _host(allowed: Allowed, kind: Kind, name: str, host: str) -> Iterator[Problem]:
    host = host.lower()
    if allowed.hosts and not any(
        host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in allowed.hosts
    ):
        text = (
            f"{kind.kind} {name}: {host} is none of the hosts that this installation allows "
            f"({', '.join(allowed.hosts)}): name one of them, or have the chart's allowed.hosts "
            "changed"
        )
        yield Problem(kind, Reason.NOT_ALLOWED, text, name)
