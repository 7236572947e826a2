"""What a node is like, and whether two are alike, which a comparison of arms takes for granted."""

from collections.abc import Iterator
from typing import Any, Protocol

from encbench.api.testbed import Machine
from encbench.kube.affinity import INSTANCE_TYPE, ZONE
from encbench.kube.nodes import GIBIBYTE, amount
from encbench.text.rounding import apart

LONGEST_NAME = 256
"""Letters of a name that are kept."""
MEMORY_SLACK = 0.01
"""Share by which the memory of two nodes may differ: firmware and kernel take a little of it, and
not always the same."""


class MachineLike(Protocol):
    """What is compared, as far as both are known."""

    @property
    def cpu_model(self) -> str | None:
        """Model of the CPU."""

    @property
    def kernel(self) -> str | None:
        """Release of the kernel."""

    @property
    def allocatable_cores(self) -> float | None:
        """CPU that the node offers its pods."""

    @property
    def allocatable_bytes(self) -> int | None:
        """Memory that it offers them."""


def differences(one: MachineLike, other: MachineLike) -> tuple[str, ...]:
    """In what they differ, with both values; nothing if they are alike."""
    return tuple(_differences(one, other))


def of_node(name: str, body: dict[str, Any]) -> Machine:
    """What a Node says of itself."""
    status = body.get("status") or {}
    offered, info = status.get("allocatable") or {}, status.get("nodeInfo") or {}
    labels = (body.get("metadata") or {}).get("labels") or {}
    memory = amount(offered.get("memory"))
    return Machine(
        node=name,
        allocatable_cores=amount(offered.get("cpu")),
        allocatable_bytes=None if memory is None else int(memory),
        kubelet=_word(info.get("kubeletVersion")),
        container_runtime=_word(info.get("containerRuntimeVersion")),
        os_image=_word(info.get("osImage")),
        instance_type=labels.get(INSTANCE_TYPE),
        zone=labels.get(ZONE),
    )


def _word(said: str | None) -> str | None:
    """As much as a status takes; an empty word says nothing."""
    return (said or "")[:LONGEST_NAME] or None


def _says_less(one: str, other: str) -> bool:
    """Whether one is the start of the other: earlier agents named but the architecture of ARM."""
    return one.startswith(f"{other}, ") or other.startswith(f"{one}, ")


def _differences(one: MachineLike, other: MachineLike) -> Iterator[str]:
    words = (("CPU", one.cpu_model, other.cpu_model), ("kernel", one.kernel, other.kernel))
    for name, mine, yours in words:
        if mine and yours and mine != yours and not _says_less(mine, yours):
            yield f"{name} {mine} against {yours}"
    cores, more_cores = one.allocatable_cores, other.allocatable_cores
    if cores is not None and more_cores is not None and cores != more_cores:
        yield f"{cores:g} allocatable cores against {more_cores:g}"
    memory, more = one.allocatable_bytes, other.allocatable_bytes
    if memory and more and abs(memory - more) > MEMORY_SLACK * max(memory, more):
        mine, yours = apart(memory / GIBIBYTE, more / GIBIBYTE)
        yield f"{mine} GiB of allocatable memory against {yours} GiB"
