"""Which layers of column encryption an arm has, read from its frozen mode and never from its name.

Column encryption as the published studies have it comes in three layers: the *hop* through a proxy,
the client's encrypting *driver*, and the *encryption* of values itself. Each arm is a stack of some
of them, in that order, on top of whatever else its mode encrypts (at rest, in transit). An arm's
predecessor is the arm that has the same stack without its uppermost layers; what lies between the
two is what these layers cost. Where a campaign leaves an arm out, the next lower one stands in, and
the step says that it is of several layers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.report.document.group import LAYERS, Layer

ORDER: tuple[Layer, ...] = tuple(LAYERS)
"""From the lowest to the uppermost."""

Modes = Mapping[str, EncryptionModeSpec]


@dataclass(frozen=True)
class Stack:
    """The layers of one arm. Two arms with the same value of a layer have it alike."""

    below: str
    """Everything that has nothing to do with columns."""
    layers: Mapping[Layer, str]

    def upto(self, count: int) -> "Stack":
        """The same stack with no more than its lowest layers."""
        names = [layer for layer in ORDER if layer in self.layers][:count]
        return Stack(self.below, {name: self.layers[name] for name in names})


@dataclass(frozen=True)
class ArmStep:
    """An arm, the nearest one below it, and the layers between the two."""

    arm: Arm
    before: Arm
    layers: tuple[Layer, ...]


def stack(mode: EncryptionModeSpec) -> Stack:
    """The layers of a mode.

    Where nothing is encrypted the algorithm, the key and what is done with columns of unknown
    origin make no difference, so that one pass-through arm is below all encrypted ones.
    """
    layers: dict[Layer, str] = {}
    if mode.columns is not None:
        layers["hop"] = _text(mode.columns.resources.to_dict())
    if mode.driver is not None:
        layers["driver"] = _text(mode.driver.to_dict())
    if mode.columns is not None and mode.columns.encrypts:
        own = mode.columns.to_dict()
        layers["encryption"] = _text({k: v for k, v in own.items() if k != "resources"})
    below = mode.model_copy(update={"columns": None, "driver": None})
    return Stack(_text(below.to_dict()), layers)


def steps(arms: Sequence[Arm], modes: Modes) -> list[ArmStep]:
    """One for every arm that has such a layer and an arm below it; in the order of the plan."""
    known = {arm.name: stack(modes[arm.mode_ref]) for arm in arms if arm.mode_ref in modes}
    others = [arm for arm in arms if arm.role != "control" and arm.name in known]
    return [step for arm in others if (step := _step(arm, others, known)) is not None]


def _step(arm: Arm, others: Sequence[Arm], known: Mapping[str, Stack]) -> ArmStep | None:
    own = known[arm.name]
    names = [layer for layer in ORDER if layer in own.layers]
    for kept in range(len(names) - 1, -1, -1):
        wanted = own.upto(kept)
        for before in others:
            if before.name != arm.name and known[before.name] == wanted:
                return ArmStep(arm, before, tuple(names[kept:]))
    return None


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
