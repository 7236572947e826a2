"""What each layer of column encryption costs: every arm against the arm below it.

Published studies split column encryption into three layers: the *hop* through a proxy, the client's
encrypting *driver*, and the *encryption* of values itself. With encrypted types they are the
*types*, whose cryptography is real, the SIMULATION of an enclave's *boundary*, and the *batching*
of an index page's comparisons. Each arm is a stack of some of these, in that order, on top of
whatever else its mode encrypts (at rest, in transit). The layers are read
from the arm's frozen mode, never from its name. An arm's predecessor has the same stack without the
uppermost layers; the difference between the two is what these layers cost. Where a campaign leaves
an arm out, the next lower one stands in, and the step names several layers.

Each log-ratio compares two trials of one block, so whatever a block shares (the hour, the cache,
the neighbours) is in neither the estimate nor its interval. Along one chain the log-ratios add up:
the ratios of hop, driver and encryption multiply exactly to the ratio of the whole.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.core.columns.enclave import encrypted
from encbench.report.analysis.findings import judge
from encbench.report.analysis.pairs import Pairs, interval
from encbench.report.document.group import Finding, Layer, LayerStep
from encbench.report.figures import CPU, IN_STEPS, LATENCIES, TPS, JudgedFigure

Modes = Mapping[str, EncryptionModeSpec]

_HOP = ("resources", "upstream")
"""What of a mode's columns decides how its proxy is reached, and not what it encrypts."""


@dataclass(frozen=True)
class Stack:
    """The layers of one arm. Two arms with the same value of a layer have it alike."""

    below: str
    """Everything that has nothing to do with columns."""
    layers: Mapping[Layer, str]
    """From the lowest to the uppermost."""

    def upto(self, count: int) -> "Stack":
        """The same stack with only its lowest `count` layers."""
        return Stack(self.below, dict(islice(self.layers.items(), count)))


@dataclass(frozen=True)
class ArmStep:
    """An arm, the nearest one below it, and the layers between the two."""

    arm: Arm
    before: Arm
    layers: tuple[Layer, ...]


def stack(mode: EncryptionModeSpec) -> Stack:
    """The layers of a mode.

    Where nothing is encrypted, the algorithm, the key and the rule for columns of unknown origin
    make no difference. One pass-through arm is therefore below all encrypted ones.
    """
    layers: dict[Layer, str] = {}
    if mode.proxy is not None:
        layers["hop"] = _text([mode.proxy.resources.to_dict(), mode.proxy.by_socket])
    if mode.driver is not None:
        layers["driver"] = _text(mode.driver.to_dict())
    if mode.proxy is not None and mode.proxy.encrypts:
        own = mode.proxy.to_dict()
        layers["encryption"] = _text({k: v for k, v in own.items() if k not in _HOP})
    if mode.enclave is not None:
        layers |= _enclave(mode.enclave)
    below = mode.model_copy(update={"columns": None, "driver": None})
    return Stack(_text(below.to_dict()), layers)


def _enclave(columns: Columns) -> dict[Layer, str]:
    """The layers of encrypted types. A boundary that costs nothing is none."""
    boundary, layers = columns.boundary, dict[Layer, str]()
    layers["types"] = _text([*encrypted(columns)])
    if not boundary.is_free:
        layers["boundary"] = _text([boundary.transition_ns, boundary.value_ns])
    if boundary.index == "PageBatch":
        layers["batching"] = _text(boundary.index)
    return layers


def arm_steps(arms: Sequence[Arm], modes: Modes) -> list[ArmStep]:
    """One for every arm that has a layer and an arm below it, in the order of the plan."""
    known = {arm.name: stack(modes[arm.mode_ref]) for arm in arms}
    others = [arm for arm in arms if arm.role != "control"]
    return [step for arm in others if (step := _arm_step(arm, others, known)) is not None]


def _arm_step(arm: Arm, others: Sequence[Arm], known: Mapping[str, Stack]) -> ArmStep | None:
    own = known[arm.name]
    for kept in reversed(range(len(own.layers))):
        wanted = own.upto(kept)
        for before in others:
            if before.name != arm.name and known[before.name] == wanted:
                return ArmStep(arm, before, tuple(own.layers)[kept:])
    return None


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def steps(
    pairs: Pairs, modes: Modes, judging: Sequence[JudgedFigure], margin: float, looks: int = 1
) -> tuple[LayerStep, ...]:
    """Every step of one condition; empty where no arm has anything to do with columns.

    Where TPS is not judged, it is as offered, and the first of `judging` is judged in its place.
    """
    found = arm_steps(pairs.arms, modes)
    before = {it.arm.name: it.before.name for it in found}

    def findings(figure: JudgedFigure) -> dict[str, Finding]:
        changes = {arm: pairs.between(figure.field, below, arm) for arm, below in before.items()}
        floor, blocks = pairs.noise_floor(figure), len(pairs.complete(figure.field))
        return judge(figure, changes, floor, margin, "steps", blocks, looks, before)

    if TPS in judging:
        judged, cpu = findings(TPS), findings(CPU)
        return tuple(
            _step(pairs, judging, one, judged.get(one.arm.name), cpu=cpu.get(one.arm.name))
            for one in found
        )
    judged = findings(judging[0])
    offered = Finding(
        figure="tps",
        blocks=len(pairs.complete(TPS.field)),
        verdict="NoData",
        why="TPS is as offered",
    )
    return tuple(_step(pairs, judging, one, offered, judged.get(one.arm.name)) for one in found)


_OF_TPS = ("blocks", "verdict", "why", "bar", "placement", "carried", "obstacle")
"""What a step has of the finding about its TPS."""


def _step(
    pairs: Pairs,
    judging: Sequence[JudgedFigure],
    found: ArmStep,
    tps: Finding | None,
    instead: Finding | None = None,
    cpu: Finding | None = None,
) -> LayerStep:
    before, arm = found.before.name, found.arm.name
    # Latency of a queue is no figure of a step either.
    shown = [it for it in IN_STEPS if it in judging or it not in LATENCIES]
    others = {it.step: pairs.between(it.field, before, arm) for it in shown if it is not TPS}
    judged = tps or Finding(figure="tps", blocks=0, verdict="NoData", why="no block has both")
    return LayerStep.model_validate(
        {
            "arm": arm,
            "before": before,
            "layers": found.layers,
            TPS.step: judged.change,
            **{name: getattr(judged, name) for name in _OF_TPS},
            **{name: interval(one, "increase") for name, one in others.items() if one},
            "instead": instead,
            "cpu": cpu,
        }
    )
