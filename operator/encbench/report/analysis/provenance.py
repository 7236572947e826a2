"""The conditions of the figures: facts that were the same everywhere, and those that differed."""

from collections.abc import Iterable, Mapping, Sequence

from encbench.api.overheadreport import Artefact
from encbench.core.evidence import ProvenanceRecord
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.document import Fact, FactValue, Provenance

RELEVANT_FLAGS = (
    *("aes", "vaes", "pclmulqdq", "vpclmulqdq", "gfni", "avx2", "avx512f", "sha_ni"),
    *("pmull", "sha2", "sm3", "sm4"),
)
"""CPU flags of x86 and Arm that ciphers and hashes use."""

_IDENTITY = frozenset(("hostname", "server_id", "server_uid", "report_host", "pid_file"))
"""Settings that identify a server and have no effect on its speed."""


def provenance(sources: Sequence[ProvenanceSource], places: Mapping[str, str]) -> Provenance:
    """`places` names each testbed's place in the plan, such as small/tde."""
    records = [source.record for source in sources]
    differing, equal = _settings(records, places)
    return Provenance(
        facts=_facts(records, places),
        cpu_flags=_common_flags(records),
        settings_differing=differing,
        settings=equal,
        settings_equal=len(equal),
        records=tuple(Artefact(key=s.key, digest=s.digest) for s in sources),
    )


def _facts(records: Sequence[ProvenanceRecord], places: Mapping[str, str]) -> tuple[Fact, ...]:
    found: dict[str, dict[str, list[str]]] = {}

    def note(name: str, value: str | None, record: ProvenanceRecord) -> None:
        if value:
            where = found.setdefault(name, {}).setdefault(value, [])
            place = places.get(record.testbed, record.testbed)
            if place not in where:
                where.append(place)

    for record in records:
        if record.server.settings:
            note("Server version", record.server.version, record)
        note("Database node", record.machine.node, record)
        for client in record.clients:
            note("Client node", client.node, record)
        note("Kernel", record.machine.kernel, record)
        note("CPU", record.machine.cpu_model, record)
        for container, image in sorted(record.images.items()):
            note(f"Image of {container}", image, record)
        note("Kubernetes", record.kubernetes_version, record)
    everywhere = len({places.get(r.testbed, r.testbed) for r in records})
    return tuple(_fact(name, values, everywhere) for name, values in found.items())


def _fact(name: str, values: Mapping[str, Sequence[str]], everywhere: int) -> Fact:
    alone = len(values) == 1
    return Fact(
        name=name,
        values=tuple(
            FactValue(value=value, where=() if alone and len(where) == everywhere else tuple(where))
            for value, where in values.items()
        ),
    )


def _common_flags(records: Sequence[ProvenanceRecord]) -> tuple[str, ...]:
    known = [set(record.machine.cpu_flags) for record in records if record.machine.cpu_flags]
    common = set.intersection(*known) if known else set()
    return tuple(flag for flag in RELEVANT_FLAGS if flag in common)


def _settings(
    records: Sequence[ProvenanceRecord], places: Mapping[str, str]
) -> tuple[tuple[Fact, ...], dict[str, str]]:
    """Settings that differ between arms, and those that do not.

    A value that changes on a single testbed from trial to trial is a counter that the server lists
    among its settings, and is left out. So is a server that did not answer.
    """
    by_place: dict[str, list[Mapping[str, str]]] = {}
    for record in records:
        if record.server.settings:
            place = places.get(record.testbed, record.testbed)
            by_place.setdefault(place, []).append(record.server.settings)
    names = sorted({name for settings in _flat(by_place.values()) for name in settings})
    differing: list[Fact] = []
    equal: dict[str, str] = {}
    for name in names:
        values: dict[str, list[str]] = {}
        steady = True
        for place, settings in by_place.items():
            seen = {entry.get(name, "(absent)") for entry in settings}
            steady = steady and len(seen) == 1
            values.setdefault(min(seen), []).append(place)
        if not steady or name in _IDENTITY:
            continue
        if len(values) == 1:
            equal[name] = next(iter(values))
        else:
            differing.append(_fact(name, values, len(by_place)))
    return tuple(differing), equal


def _flat(lists: Iterable[Sequence[Mapping[str, str]]]) -> Iterable[Mapping[str, str]]:
    return (entry for one in lists for entry in one)
