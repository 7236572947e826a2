"""The conditions of the figures: facts that were the same everywhere, and those that differed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from encbench.api.overheadreport import Artefact
from encbench.core.evidence import MachineFacts, ProvenanceRecord
from encbench.kube.nodes import GIBIBYTE
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.document import Fact, FactValue, Provenance

RELEVANT_FLAGS = (
    *("aes", "vaes", "pclmulqdq", "vpclmulqdq", "gfni", "avx2", "avx512f", "sha_ni"),
    *("pmull", "sha2", "sm3", "sm4"),
)
"""CPU flags of x86 and Arm that ciphers and hashes use."""

_IDENTITY = frozenset(("hostname", "server_id", "server_uid", "report_host", "pid_file"))
"""Settings that identify a server and have no effect on its speed."""
Placed = tuple[str, ProvenanceRecord]
"""A record with the place in the plan of its testbed."""


def provenance(sources: Sequence[ProvenanceSource], places: Mapping[str, str]) -> Provenance:
    """`places` names each testbed's place in the plan, such as small/tde."""
    records = [(places.get(s.record.testbed, s.record.testbed), s.record) for s in sources]
    differing, equal = _settings(records)
    return Provenance(
        facts=_facts(records),
        cpu_flags=_common_flags(records),
        settings_differing=differing,
        settings=equal,
        settings_equal=len(equal),
        records=tuple(Artefact(key=s.key, digest=s.digest) for s in sources),
    )


def _facts(records: Sequence[Placed]) -> tuple[Fact, ...]:
    found: dict[str, dict[str, dict[str, None]]] = {}
    for place, record in records:
        for name, value in _named(record):
            if value:
                found.setdefault(name, {}).setdefault(value, {})[place] = None
    everywhere = len({place for place, _ in records})
    return tuple(_fact(name, values, everywhere) for name, values in found.items())


def _named(record: ProvenanceRecord) -> Iterable[tuple[str, str | None]]:
    if record.server.settings:
        yield "Server version", record.server.version
    yield "Database node", record.machine.node
    for client in record.clients:
        yield "Client node", client.node
    yield "Kernel", record.machine.kernel
    yield "CPU", record.machine.cpu_model
    yield from _offered(record.machine)
    yield "Instance type", record.machine.instance_type
    yield "Zone", record.machine.zone
    for client in record.clients:
        yield "Client's kernel", client.kernel
        yield "Client's CPU", client.cpu_model
    for container, image in sorted(record.images.items()):
        yield f"Image of {container}", image
    yield "Kubernetes", record.kubernetes_version


def _offered(machine: MachineFacts) -> Iterable[tuple[str, str | None]]:
    """What the database's node offers its pods."""
    if machine.allocatable_cores is not None:
        yield "Allocatable CPU", f"{machine.allocatable_cores:g} cores"
    if machine.allocatable_bytes is not None:
        yield "Allocatable memory", f"{machine.allocatable_bytes / GIBIBYTE:.1f} GiB"


def _fact(name: str, values: Mapping[str, Collection[str]], everywhere: int) -> Fact:
    alone = len(values) == 1
    return Fact(
        name=name,
        values=tuple(
            FactValue(value=value, where=() if alone and len(where) == everywhere else tuple(where))
            for value, where in values.items()
        ),
    )


def _common_flags(records: Sequence[Placed]) -> tuple[str, ...]:
    known = [set(record.machine.cpu_flags) for _, record in records if record.machine.cpu_flags]
    common = set.intersection(*known) if known else set()
    return tuple(flag for flag in RELEVANT_FLAGS if flag in common)


def _settings(records: Sequence[Placed]) -> tuple[tuple[Fact, ...], dict[str, str]]:
    """Settings that differ between arms, and those that do not.

    A value that changes on a single testbed from trial to trial is a counter that the server lists
    among its settings, and is left out. So is a server that did not answer.
    """
    by_place: dict[str, list[Mapping[str, str]]] = {}
    for place, record in records:
        if record.server.settings:
            by_place.setdefault(place, []).append(record.server.settings)
    differing: list[Fact] = []
    equal: dict[str, str] = {}
    for name in sorted({name for own in by_place.values() for name in chain(*own)} - _IDENTITY):
        values: dict[str, list[str]] = {}
        steady = True
        for place, settings in by_place.items():
            seen = {entry.get(name, "(absent)") for entry in settings}
            steady = steady and len(seen) == 1
            values.setdefault(min(seen), []).append(place)
        if steady and len(values) == 1:
            equal[name] = next(iter(values))
        elif steady:
            differing.append(_fact(name, values, len(by_place)))
    return tuple(differing), equal
