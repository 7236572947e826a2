"""A synthetic bucket: TEST DATA, made up from a seed. No machine ever measured these figures.

`Study` describes a campaign and how its imaginary machine behaves; `write` gives the index and the
bucket's objects as the reconcilers would leave them, planned by the real `core.plan`.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import NormalDist

from encbench.admission import gather
from encbench.api.campaign import CampaignSpec, LostSet, Resolved
from encbench.api.conditions import format_time
from encbench.api.testbed import Arm
from encbench.api.trial import Outcome
from encbench.core import plan
from encbench.core.artefact import digest_of, encode
from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.core.naming import child_name, storage_prefix
from encbench.core.records import IndexCell, IndexRecord, IndexTrial, TrialRecord
from encbench.core.slices import ServerSlot, SliceFacts, Slices
from encbench.core.timetable import GUARD, timetable

UID = "5f0c7a3e-0000-4000-8000-000000000000"
BEGIN = 1_767_225_600.0
"""2026-01-01T00:00:00Z."""
MARIADB_ENCRYPTED = {
    "encrypt_binlog": "ON",
    "innodb_encrypt_log": "ON",
    "innodb_encrypt_tables": "FORCE",
}


@dataclass(frozen=True)
class Study:
    """A campaign and the machine under it."""

    name: str = "tde-small"
    engine: str = "mariadb"
    instances: tuple[str, ...] = ("small",)
    workloads: tuple[str, ...] = ("oltp-read-write",)
    concurrency: tuple[int, ...] = (4, 16)
    loss: Mapping[str, float] = field(default_factory=lambda: {"tde": 0.08})
    """What each treatment truly costs, as a fraction of TPS."""
    blocks: int = 6
    margin: float = 0.03
    noise: float = 0.008
    """Standard deviation of ln TPS between trials of one arm."""
    seconds: int = 60
    seed: int = 7
    colocated: bool = False
    residency: str = "Resident"
    reset: str = "none"
    fail: Mapping[tuple[int, int, str], tuple[Outcome, str]] = field(default_factory=dict)
    """(concurrency, block, arm) → outcome and reason of a trial that does not succeed."""
    always: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)
    """Arm → outcome and reason of all its trials."""
    without_cpu: frozenset[tuple[int, int, str]] = frozenset()
    """(concurrency, block, arm) of trials whose server CPU was withheld."""
    without_proxy_cpu: frozenset[tuple[int, int, str]] = frozenset()
    """The same of the proxy's."""
    client_cpu: float = 0.35
    baseline: Mapping[str, object] = field(default_factory=dict)
    """Spec of the baseline mode `plain`."""
    modes: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Treatment → spec of its mode; encryption at rest where it is not named."""
    client_work: Mapping[str, float] = field(default_factory=dict)
    """Treatment → what a transaction takes of the client's CPU, times that of the baseline."""
    proxy: Mapping[str, float] = field(default_factory=dict)
    """Arm → ms of its proxy's CPU a transaction; a proxy has one core."""
    volume: Mapping[str, float] = field(default_factory=dict)
    """Arm → cores that the file system in its databases' pods uses; it may use one."""
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Workload → options of its sysbench script."""
    tpcc: bool = False
    """TPC-C in sysbench's place, through a client that tells no latency and counts no queries."""
    warehouses: int = 100
    statements: str | None = None
    """Of TPC-C; None for a client that neither knows of any nor counts them."""
    skipped: float | None = None
    """Share of the districts in which a Delivery found no order; None where no client counts."""
    checked: bool = True
    """Whether somebody looked for inconsistencies after each trial of TPC-C."""
    rate: int | None = None
    """Fixed rate that the workload offers, in transactions a second."""
    queue: Mapping[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    """(block, arm) → transactions that wait in its client at the window's begin and end."""
    precision: float | None = None
    """Target half-width; `blocks` are the pilot then."""
    wanted: int = 0
    """Blocks that the pilot asks for; blocks.max is 30."""
    per_testbed: int = 0
    lost_in: int = 0
    """Block in which, after its first trial, the set of testbeds is lost; 0 if none is."""
    placement: Mapping[str, float] = field(default_factory=dict)
    """Arm whose testbed it is → what of TPS that testbed's luck takes."""
    foreign: float | None = 0.04
    """Share of a node's cores that others use; None where it was not measured."""
    stolen: float | None = None
    """Share of a node's cores that the hypervisor takes; None where it was not measured."""
    spare: float | None = None
    """Share of the database's node's cores that nothing used or took; None where not measured."""
    idle: float | None = None
    """Share of an instance's CPU that the other databases use; None where it was not measured."""
    disk: tuple[float, float] | None = (36.0, 12.5)
    """KiB that a transaction reads and writes; None where it was not measured."""
    unwritten: Mapping[str, float] = field(default_factory=dict)
    """Arm → MiB that its server has not written when a trial ends; not known where not named."""
    throttled: float = 0.0
    """Seconds for which the client was throttled."""
    held_up: Mapping[str, float] = field(default_factory=dict)
    """Arm → share of the periods of its CPU limit in which its server was held up."""
    rounds: int = 0
    """Of each block, if blocks are interleaved, in slices of 3 s."""
    solo: int = 0
    """Sequential blocks beside interleaved ones."""
    solo_loss: float = 0.0
    """What treatments lose more in those, as a fraction of TPS."""
    background: Mapping[str, float] = field(default_factory=dict)
    """Arm → cores that its server uses while its clients are stopped; 0.01 where it is not
    named."""
    carry: float = 0.0
    """What a slot loses of TPS after a treatment's."""
    sticky: float = 0.0
    """Autocorrelation of an arm's rounds."""
    speed: float = 0.0
    """Standard deviation of ln of the machine's speed from slice to slice."""
    spanned: float = 0.001
    """Share of transactions that a stop interrupts."""
    machines: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Mode → what the node of its databases has of its own."""
    client_machines: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The same of its clients' node."""
    more_clients: tuple[tuple[float, float], ...] = ()
    """Clients beside the first: how many seconds after it each starts, and what share of its TPS it
    has. None of them is part of the figures."""
    flags: tuple[str, ...] = ("fpu", "aes", "pclmulqdq", "avx2", "vaes", "sha_ni")


Bucket = dict[str, bytes]


def campaign_spec(study: Study) -> CampaignSpec:
    return CampaignSpec.model_validate(
        {
            "matrix": [
                {
                    "instanceRefs": list(study.instances),
                    "modeRefs": ["plain", *study.loss],
                    "workloadRefs": list(study.workloads),
                }
            ],
            "baselineModeRef": "plain",
            "blocks": {
                "min": study.blocks,
                "maxReplacements": 2,
                "perTestbed": study.per_testbed,
                **({"interleave": {"rounds": study.rounds}} if study.rounds else {}),
                "solo": study.solo,
            },
            **({"precision": {"targetHalfWidth": study.precision}} if study.precision else {}),
            "margin": study.margin,
            "seed": study.seed,
            "residency": study.residency,
            "reset": study.reset,
            "allowColocation": study.colocated,
        }
    )


def _statements(study: Study) -> dict[str, str]:
    return {"statements": study.statements} if study.statements else {}


def resolved(study: Study) -> Resolved:
    instances = {
        name: {
            "engine": study.engine,
            "version": "10.11",
            "image": f"registry.example/encbench/{study.engine}:10.11",
            "resources": {"cpu": str(2 ** (n + 1)), "memory": f"{2 ** (n + 1)}Gi"},
            "storage": {"size": "20Gi", "className": "fast", "iops": 6000},
            "settings": {"innodb_buffer_pool_size": "1G"},
        }
        for n, name in enumerate(study.instances)
    }
    workloads = {
        name: {
            **(
                {"tpcc": {"warehouses": study.warehouses, **_statements(study)}}
                if study.tpcc
                else {
                    "sysbench": {
                        "script": name.replace("-", "_"),
                        "tables": 4,
                        "tableSize": 250_000,
                        "options": dict(study.options.get(name, {})),
                    }
                }
            ),
            "load": {
                "concurrency": list(study.concurrency),
                "warmup": "30s",
                "duration": f"{study.seconds}s",
                **({"rate": study.rate} if study.rate else {}),
            },
            "client": {
                "image": "registry.example/encbench/sysbench:1.0.20",
                "resources": {"cpu": "2", "memory": "512Mi"},
            },
        }
        for name in study.workloads
    }
    at_rest = {"atRest": {"method": "engine"}}
    modes: dict[str, object] = {name: study.modes.get(name, at_rest) for name in study.loss}
    return gather.frozen(instances, {"plain": study.baseline, **modes}, workloads, {})


@dataclass
class _Writer:
    """One campaign while it is written."""

    study: Study
    spec: CampaignSpec
    frozen: Resolved
    prefix: str
    bucket: Bucket = field(default_factory=dict)
    trials: list[IndexTrial] = field(default_factory=list)
    last_generation: dict[str, int] = field(default_factory=dict)

    def cell(self, cell: plan.Cell) -> None:
        """Run the plan of one cell to its end."""
        past: list[plan.Past] = []
        goals = dict.fromkeys(cell.conditions, min(30, self.study.wanted))
        lost: list[LostSet] = []
        while True:
            planned = plan.next_trial(self.spec, cell, past, goals, lost=lost).next_trial
            if planned is None:
                break
            record = self.trial(cell, planned)
            key = record.key_of("trial.json")
            self.bucket[key] = encode(record)
            entry = {
                "name": record.trial.name,
                "outcome": record.outcome,
                "reason": record.reason,
                "key": key,
                "digest": digest_of(self.bucket[key]),
            }
            self.trials.append(IndexTrial.model_validate(entry))
            self.last_generation[cell.name] = planned.generation
            block, arm = planned.block, planned.arm.name
            past.append(plan.Past(cell.name, planned.condition, block, arm, record.outcome))
            if block == self.study.lost_in and not lost:
                lost.append(_lost(planned))

    def generations(self, cell: plan.Cell) -> range:
        """The sets of testbeds that a cell's trials ran on."""
        return range(1, self.last_generation.get(cell.name, 1) + 1)

    def put(self, uid: str, name: str, content: bytes) -> dict[str, str]:
        self.bucket[f"{self.prefix}/trials/{uid}/{name}"] = content
        return {name: digest_of(content)}

    def trial(self, cell: plan.Cell, planned: plan.PlannedTrial) -> TrialRecord:
        study, arm = self.study, planned.arm
        threads, number = planned.condition.concurrency, len(self.trials)
        place = (threads, planned.block, arm.name)
        outcome, reason = study.always.get(arm.name) or study.fail.get(place) or ("Succeeded", None)
        testbed = _testbed_name(study, cell, planned.seat, planned.generation)
        uid = f"00000000-0000-4000-8000-{number:012d}"
        start = BEGIN + 150 * number + 45
        workload = planned.condition.workload_ref
        spec = {
            "campaignRef": {"name": study.name, "uid": UID},
            "testbedRef": {"name": testbed, "uid": f"uid-{testbed}"},
            "cell": cell.name,
            "instanceRef": cell.instance_ref,
            "workloadRef": workload,
            "arm": arm.to_dict(),
            "block": planned.block,
            "order": planned.order,
            "concurrency": threads,
            "seed": planned.seed,
            "workload": self.frozen.workloads[workload].to_dict(),
            "allowColocation": study.colocated,
            "storagePrefix": self.prefix,
            "stepDeadlines": {},
            "specHash": self.frozen.hash,
        }
        if planned.turns_seed is not None:
            spec["turns"] = {
                "sliceSeconds": 3.0,
                "settleSeconds": 0.5,
                "rounds": study.rounds,
                "seed": planned.turns_seed,
                "trials": [one.name for one in cell.arms],
            }
        after = {"ok": reason != "ProofFailed", "summary": "as before"}
        provenance = encode(_provenance(study, testbed, arm.mode_ref))
        artefacts = self.put(uid, "provenance.json", provenance)
        figures: dict[str, object] = {}
        if outcome != "Failed":
            figures, series = _figures(study, cell, planned, start)
            artefacts |= self.put(uid, "client-0/series.csv", series)
        return TrialRecord.model_validate(
            {
                "trial": {
                    "name": child_name(
                        *(study.name, cell.name, arm.name),
                        f"t{threads}-b{planned.block}-{planned.order}",
                    ),
                    "uid": uid,
                },
                "campaign": {"name": study.name, "uid": UID, "namespace": "bench"},
                "spec": spec,
                "outcome": outcome,
                "reason": reason,
                "message": _MESSAGES.get(reason or ""),
                "startTime": _time(start - 45),
                "completionTime": _time(start + study.seconds + 10),
                "databaseNode": "node-a",
                "clients": _clients(study, planned, figures, start),
                "proofs": {
                    "before": {"ok": True, "summary": "the marker is where it should be"},
                    "after": after,
                },
                **figures,
                **(
                    {"consistency": {"ok": True, "summary": "6 queries gave no row in 3 s"}}
                    if study.tpcc and study.checked
                    else {}
                ),
                "artefacts": artefacts,
            }
        )


def write(study: Study) -> tuple[IndexRecord, Bucket]:
    """The index of a finished campaign and every object that it leads to."""
    spec, frozen = campaign_spec(study), resolved(study)
    writer = _Writer(study, spec, frozen, storage_prefix("bench", study.name, UID))
    cells = plan.cells(spec, frozen.workloads)
    for cell in cells:
        writer.cell(cell)
    index = IndexRecord.model_validate(
        {
            "campaign": {"name": study.name, "uid": UID, "namespace": "bench"},
            "spec": spec.to_dict(),
            "resolved": frozen.to_dict(),
            "storage": {"bucket": "encbench", "prefix": writer.prefix},
            "cells": [IndexCell.of(cell).to_dict() for cell in cells],
            "trials": [trial.to_dict() for trial in writer.trials],
            "testbeds": [
                _testbed(study, cell, arm, generation, writer.prefix)
                for cell in cells
                for generation in writer.generations(cell)
                for arm in cell.arms
            ],
            "blockPlans": [
                _block_plan(study, cell, condition)
                for cell in cells
                for condition in cell.conditions
                if study.precision
            ],
            "startTime": _time(BEGIN),
            "generatedTime": _time(BEGIN + 150 * len(writer.trials)),
            "operatorVersion": "0.1.0",
        }
    )
    for testbed in index.testbeds:
        if testbed.proof is not None and testbed.proof.key is not None:
            writer.bucket[testbed.proof.key] = testbed.proof.key.encode()
    return index, writer.bucket


def _time(moment: float) -> str:
    return format_time(datetime.fromtimestamp(moment, UTC))


def _block_plan(study: Study, cell: plan.Cell, condition: plan.LoadLevel) -> dict[str, object]:
    return {
        "cell": cell.name,
        "instance": cell.instance_ref,
        "workload": condition.workload_ref,
        "concurrency": condition.concurrency,
        "pilotBlocks": study.blocks,
        "widestArm": "plain-control",
        "spread": study.noise,
        "halfWidth": study.noise,
        "wantedBlocks": study.wanted,
        "plannedBlocks": min(30, study.wanted),
        "capped": study.wanted > 30,
    }


def _lost(planned: plan.PlannedTrial) -> LostSet:
    level = planned.condition
    return LostSet(
        cell=planned.cell,
        generation=planned.generation,
        workload=level.workload_ref,
        concurrency=level.concurrency,
        block=planned.block,
        message="its node was lost",
        time=_time(BEGIN),
    )


def _testbed_name(study: Study, cell: plan.Cell, arm: Arm, generation: int) -> str:
    mark = f"g{generation}" if generation > 1 else ""
    return child_name(study.name, f"{cell.name}{mark}", arm.name)


def _testbed(
    study: Study, cell: plan.Cell, arm: Arm, generation: int, prefix: str
) -> dict[str, object]:
    name = _testbed_name(study, cell, arm, generation)
    summary = "the marker was found in the table's file and the redo log, as in plaintext"
    if arm.role == "treatment":
        summary = (
            "all 14 tablespaces are encrypted; the marker is in none of 31 files but aria_log, "
            "which MariaDB does not encrypt"
        )
    if arm.name in study.always:
        summary = "the marker was found in ib_logfile0"
    key = f"{prefix}/testbeds/{name}/proof.json"
    proof = {"ok": arm.name not in study.always, "summary": summary, "key": key}
    proof["digest"] = digest_of(key.encode())
    return {
        "name": name,
        "cell": cell.name,
        "arm": arm.name,
        "generation": generation,
        "proof": proof,
    }


_MESSAGES = {
    "ProofFailed": "After the run the marker was found in ib_logfile0 in plaintext.",
    "ClientThrottled": "The client was throttled for 3.2 s of 60 s: give it more CPU.",
}


def _volume(used: float | None, busy: float, cores: float) -> dict[str, object]:
    """A file system in the pod, whose CPU is part of the database's."""
    if used is None:
        return {}
    both = {"cores": busy + used, "limitCores": cores + 1.0}
    return {"database": both, "volume": {"cores": used, "limitCores": 1.0}}


def _figures(
    study: Study, cell: plan.Cell, planned: plan.PlannedTrial, start: float
) -> tuple[dict[str, object], bytes]:
    """The figures of one run and its series: a machine that saturates, drifts and is noisy."""
    threads, arm = planned.condition.concurrency, planned.arm.name
    on = planned.condition
    # Spelled out, because the figures of all golden files depend on this text.
    place = f"Condition(workload_ref={on.workload_ref!r}, concurrency={on.concurrency})"
    place = f"{study.seed}/{cell.name}/{place}/{planned.block}"
    block = random.Random(place)
    own = random.Random(f"{place}/{arm}")
    cores = float(2 ** (study.instances.index(cell.instance_ref) + 1))
    loss = study.loss.get(planned.arm.mode_ref, 0.0)
    if planned.block > plan.SOLO and loss:
        loss += study.solo_loss
    level = 260 * cores * threads / (threads + 3 * cores)
    level *= math.exp(block.gauss(0, 3 * study.noise))
    level *= 1 - study.placement.get(planned.seat.name, 0.0)
    full = level * (1 - loss) * math.exp(own.gauss(0, study.noise))
    tps = full if study.rate is None else min(full, float(study.rate))
    lines = ["time,tps,qps,latency_p95_ms,errors,cpu_seconds,resident_bytes"]
    for second in range(-5, study.seconds):
        wobble = 1 + 0.04 * own.gauss(0, 1) - (0.25 if second % 30 == 17 else 0)
        now = max(0.0, tps * wobble)
        lines.append(f"{start + second + 1:.1f},{now:.2f},{20 * now:.1f},,0,0.3,50000000")
    series = ("\n".join(lines) + "\n").encode()
    average = 1000 * threads / tps
    busy = 0.95 * cores * threads / (threads + cores) * math.exp(own.gauss(0, study.noise / 3))
    cpu: dict[str, object] = {
        "database": {
            "cores": busy * (1 + loss / 3) * tps / full,
            "limitCores": cores,
            "coverage": 0.98,
            "alignmentError": 0.001,
        },
        "node": {"fraction": (busy + 0.6) / 16, "cores": 16.0, "node": "node-a"},
        "client": {
            "cores": 2 * study.client_cpu * _client_work(study, arm, own) * tps / level,
            "limitCores": 2.0,
        },
        **_volume(study.volume.get(arm), busy, cores),
        **({"throttled": {"database": study.held_up[arm]}} if arm in study.held_up else {}),
    }
    if arm in study.proxy:
        used = study.proxy[arm] / 1000 * tps * math.exp(own.gauss(0, study.noise))
        cpu["proxy"] = {"cores": used, "limitCores": 1.0}
    if study.idle is not None:
        cpu["idle"] = {"cores": study.idle * cores, "limitCores": cores}
    shares = {"foreign": study.foreign, "stolen": study.stolen, "spare": study.spare}
    for name, share in shares.items():
        if share is not None:
            cpu[name] = [{"node": "node-a", "cores": 16 * share, "nodeCores": 16.0}]
    result: dict[str, object] = {
        "tps": tps,
        "qps": 20 * tps,
        "latencyAverageMs": average,
        "latencyP95Ms": average * 1.45 * math.exp(own.gauss(0, study.noise)),
        "errors": 0,
    }
    figures: dict[str, object] = {
        "window": {"start": start, "end": start + study.seconds},
        "result": result,
        "cpu": cpu,
        "disk": _disk(study, tps),
        "dirtyBytes": round(study.unwritten[arm] * 2**20) if arm in study.unwritten else None,
        "transactions": round(tps * study.seconds),
        "histogram": _histogram(average, round(tps * study.seconds)),
    }
    if planned.turns_seed is not None:
        slices = _slices(study, cell, planned, start, tps, busy * (1 + loss / 3))
        figures["slices"] = slices.to_dict()
        result["tps"] = slices.transactions / slices.seconds
        used = sum(row.database_cpu_seconds or 0.0 for row in slices.rows)
        cpu["database"] = {"cores": used / slices.seconds, "limitCores": cores, "coverage": 1.0}
    if (threads, planned.block, arm) in study.without_cpu:
        del cpu["database"]
        cpu["withheld"] = {"database": "the alignment error of 3.1 % is above 2 %"}
    if (threads, planned.block, arm) in study.without_proxy_cpu:
        del cpu["proxy"]
        cpu["withheld"] = {"proxy": "the alignment error of 3.1 % is above 2 %"}
    if study.tpcc:
        figures["result"] = {"tps": tps, "errors": 0, "extra": _extra(study, tps)}
        del figures["histogram"]
    return figures, series


def _extra(study: Study, tps: float) -> dict[str, float]:
    """What a TPC-C client reports beside; one that knows of statements counts what they take."""
    found = {"newOrdersPerSecond": 0.45 * tps}
    if study.statements:
        found |= {"roundTripsPerSecond": 19.4 * tps, "cellsPerSecond": 85.8 * tps}
    if (skipped := study.skipped) is not None:
        districts = {"skippedDistrictsPerSecond": skipped, "deliveredOrdersPerSecond": 1 - skipped}
        found |= {name: share * 0.4 * tps for name, share in districts.items()}
    return found


def _slices(
    study: Study,
    cell: plan.Cell,
    planned: plan.PlannedTrial,
    start: float,
    tps: float,
    cores: float,
) -> Slices:
    """The trial's slots, and its server in all slots of the block."""
    arm, arms = planned.arm, cell.arms
    seed = planned.turns_seed or 0
    table = timetable(rounds=study.rounds, arms=len(arms), seed=seed)
    own = [slot for slot, turn in enumerate(table) if arms[turn] == arm]
    draw = random.Random(f"{seed}/{arm.name}")
    rows, noise = [], 0.0
    for number, slot in enumerate(own):
        noise = study.sticky * noise + draw.gauss(0, study.noise)
        before = arms[table[slot - 1]] if slot else arm
        lost = study.carry if before.role == "treatment" and before is not arm else 0.0
        rate, begin = tps * math.exp(noise) * (1 - lost), start + slot * (3.0 + GUARD)
        slower = math.exp(draw.gauss(0, study.speed)) if study.speed else 1.0
        rows.append(
            SliceFacts(
                slot=slot,
                round=number,
                begin=begin,
                counted=begin + 0.5,
                end=begin + 3.0,
                seconds=2.5,
                transactions=round(2.5 * rate / slower),
                new_orders=0,
                all_transactions=round(3.0 * rate / slower),
                client_cpu_seconds=0.7,
                database_cpu_seconds=2.5 * cores * rate / tps,
            )
        )
    used = {row.slot: 3.0 * (row.database_cpu_seconds or 0.0) / 2.5 for row in rows}
    idle = 3.0 * study.background.get(arm.name, 0.01)
    server = tuple(
        ServerSlot(
            slot=slot,
            seconds=3.0 + GUARD,
            cpu_seconds=used.get(slot, idle),
            read_bytes=0.0,
            write_bytes=4096.0 * (100 if slot in used else 1),
        )
        for slot in range(len(table))
    )
    return Slices(
        rows=tuple(rows),
        spanned=round(study.spanned * sum(row.transactions for row in rows)),
        server=server,
    )


def _client_work(study: Study, arm: str, own: random.Random) -> float:
    """CPU of a transaction at the client, times that of the baseline."""
    work = study.client_work.get(arm)
    return 1.0 if work is None else work * math.exp(own.gauss(0, study.noise / 2))


def _clients(
    study: Study, planned: plan.PlannedTrial, figures: Mapping[str, object], start: float
) -> list[object]:
    first = _client(study, figures)
    if study.rate is not None:
        first["queue"] = study.queue.get((planned.block, planned.arm.name), (0, 0))
    if not study.more_clients:
        return [first]
    others = (
        {"began": start + late, "tps": 100.0 * share, "node": f"node-{number}"}
        for number, (late, share) in enumerate(((0.0, 1.0), *study.more_clients))
    )
    return [first | one for one in others]


def _client(study: Study, figures: Mapping[str, object]) -> dict[str, object]:
    facts: dict[str, object] = {
        "node": "node-a" if study.colocated else "node-b",
        "throttledSeconds": study.throttled,
    }
    if isinstance(cpu := figures.get("cpu"), dict):
        own = cpu["client"]
        facts |= {
            "cpuCores": own["cores"],
            "cpuLimitCores": own["limitCores"],
            "memoryMaxBytes": 96 * 2**20,
            "memoryLimitBytes": 256 * 2**20,
        }
    return facts


def _disk(study: Study, tps: float) -> dict[str, float] | None:
    if study.disk is None:
        return None
    read, written = (1024 * amount * tps for amount in study.disk)
    return {"readBytesPerSecond": read, "writeBytesPerSecond": written}


def _histogram(average: float, transactions: int) -> list[list[float | int]]:
    """Log-normal latency about that average in buckets as sysbench has them.

    Of n transactions the k-th is the quantile (k + 1/2) / n, so that a bucket's share of the
    distribution says how many lie in it.
    """
    sigma = 0.24
    median = average * math.exp(-(sigma**2) / 2)
    width = math.log(100_000_000) / 1023
    middle, spread = math.log(median * 1000) / width, sigma / width
    normal, rows, below = NormalDist(middle, spread), list[list[float | int]](), 0
    for bucket in range(round(middle - 6 * spread), round(middle + 6 * spread)):
        upto = math.ceil(transactions * normal.cdf(bucket + 0.5) - 0.5)
        if upto > below:
            rows.append([math.exp(bucket * width) / 1000, upto - below])
            below = upto
    return rows


def _provenance(study: Study, testbed: str, mode: str) -> ProvenanceRecord:
    settings = {
        "innodb_buffer_pool_size": str(2**30),
        "innodb_flush_log_at_trx_commit": "1",
        "hostname": f"{testbed}-0",
        **dict.fromkeys(MARIADB_ENCRYPTED, "OFF"),
    }
    if mode != "plain":
        settings |= MARIADB_ENCRYPTED
    digest = "sha256:" + "ab" * 32
    return ProvenanceRecord(
        testbed=testbed,
        server=ServerFacts(version="10.11.14-MariaDB", settings=settings),
        machine=MachineFacts(
            node="node-a",
            kernel="6.18.0",
            cpu_model="Synthetic CPU @ 2.50GHz",
            cpu_flags=study.flags,
        ).model_copy(update=study.machines.get(mode, {})),
        clients=(
            MachineFacts(node="node-a" if study.colocated else "node-b").model_copy(
                update=study.client_machines.get(mode, {})
            ),
        ),
        images={
            "server": f"registry.example/encbench/mariadb@{digest}",
            "agent": f"registry.example/encbench/encbench@{digest}",
            "tool": f"registry.example/encbench/sysbench@{digest}",
        },
        operator_version="0.1.0",
    )
