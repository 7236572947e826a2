"""The conditions of the figures: facts that were the same everywhere, and those that differed."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from encbench.api.overheadreport import Artefact
from encbench.core.evidence import MachineFacts, ProvenanceRecord
from encbench.kube.nodes import GIBIBYTE
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.document import MEMORY, ZONE, Fact, FactValue, Provenance
from encbench.report.document.trial import TrialView

RELEVANT_FLAGS = (
    *("aes", "vaes", "pclmulqdq", "vpclmulqdq", "gfni", "avx2", "avx512f", "sha_ni"),
    *("pmull", "sha2", "sm3", "sm4"),
)
"""CPU flags of x86 and Arm that ciphers and hashes use."""

_IDENTITY = frozenset(("hostname", "server_id", "server_uid", "report_host", "pid_file"))
"""Settings that identify a server and have no effect on its speed."""
_ABSENT = "(absent)"


@dataclass(frozen=True)
class Bed:
    """Where a testbed stands in the plan."""

    place: str
    """Such as small/tde."""
    cell: str
    arm: str
    generation: int
    has_twin: bool = False
    """Whether it is that of baseline or control, which have one mode."""


Placed = tuple[Bed, ProvenanceRecord]
"""A record with its testbed."""


def beds(trials: Iterable[TrialView]) -> dict[str, Bed]:
    """Those that these trials ran on, by name."""
    return {
        trial.testbed: Bed(
            place=f"{trial.instance}/{trial.home or trial.arm}",
            cell=trial.cell,
            arm=trial.home or trial.arm,
            generation=trial.generation,
            has_twin=trial.role != "treatment",
        )
        for trial in trials
    }


def provenance(sources: Sequence[ProvenanceSource], known: Mapping[str, Bed]) -> Provenance:
    """`known` has each testbed by its name."""
    records = [(known[s.record.testbed], s.record) for s in sources]
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
    for bed, record in records:
        for name, value in _named(record):
            if value:
                found.setdefault(name, {}).setdefault(value, {})[bed.place] = None
    everywhere = len({bed.place for bed, _ in records})
    return tuple(_fact(name, values, everywhere) for name, values in found.items())


def _named(record: ProvenanceRecord) -> Iterable[tuple[str, str | None]]:
    if record.server.settings:
        yield "Server version", record.server.version
    yield "Database node", record.machine.node
    for client in record.clients:
        yield "Client node", client.node
    yield "Kernel", record.machine.kernel
    yield "CPU", record.machine.cpu_model
    yield "CPU governor", record.machine.cpu_governor
    yield from _offered(record.machine)
    yield "Container runtime", record.machine.container_runtime
    yield "Kubelet", record.machine.kubelet
    yield "Operating system", record.machine.os_image
    yield "Instance type", record.machine.instance_type
    yield ZONE, record.machine.zone
    for client in record.clients:
        yield "Client's kernel", client.kernel
        yield "Client's CPU", client.cpu_model
    for container, image in sorted(record.images.items()):
        yield f"Image of {container}", image
    for digest in record.driver_jars or ():
        yield "Jar of the mode's driver", digest


def _offered(machine: MachineFacts) -> Iterable[tuple[str, str | None]]:
    """What the database's node offers its pods."""
    if machine.allocatable_cores is not None:
        yield "Allocatable CPU", f"{machine.allocatable_cores:g} cores"
    if machine.allocatable_bytes is not None:
        yield MEMORY, f"{machine.allocatable_bytes / GIBIBYTE:.1f} GiB"


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
    """Settings that differ between arms or changed within one, and those that did neither."""
    differing: list[Fact] = []
    equal: dict[str, str] = {}
    for name, values in settings_of(records).items():
        places = {value: {bed.place: None for bed in beds} for value, beds in values.items()}
        everywhere = {place for own in places.values() for place in own}
        if len(values) == 1:
            equal[name] = next(iter(values))
        elif sum(map(len, places.values())) == len(everywhere) or has_changed(values):
            differing.append(_fact(name, places, len(everywhere)))
    return tuple(differing), equal


Values = Mapping[str, Sequence[Bed]]
"""The values of a setting, with the testbeds that have each."""


def settings_of(records: Sequence[Placed]) -> dict[str, Values]:
    """Each setting by its name, in order.

    A value that changes on a single testbed from trial to trial is a counter that the server lists
    among its settings, and is left out. So is a server that did not answer.
    """
    by_bed: dict[Bed, list[Mapping[str, str]]] = {}
    for bed, record in records:
        if record.server.settings:
            by_bed.setdefault(bed, []).append(record.server.settings)
    found: dict[str, Values] = {}
    for name in sorted({name for own in by_bed.values() for name in chain(*own)} - _IDENTITY):
        values: dict[str, list[Bed]] = {}
        for bed, settings in by_bed.items():
            for value in {entry.get(name, _ABSENT) for entry in settings}:
                values.setdefault(value, []).append(bed)
        if sum(map(len, values.values())) == len(by_bed):
            found[name] = values
    return found


def has_changed(values: Values) -> bool:
    """Whether an arm's testbeds have more than one value, which is the same on testbeds alike.

    Baseline and control of one set have the same mode. What differs between them is a counter, or
    is made anew for each server.
    """
    arms = [{(bed.cell, bed.arm) for bed in beds} for beds in values.values()]
    twins = [{(b.cell, b.generation) for b in beds if b.has_twin} for beds in values.values()]
    pairs = Counter((b.cell, b.generation) for beds in values.values() for b in beds if b.has_twin)
    return (
        sum(map(len, arms)) > len(set().union(*arms))
        and sum(map(len, twins)) == len(set().union(*twins))
        and max(pairs.values(), default=0) > 1
    )
