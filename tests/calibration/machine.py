"""A simulated machine that is as noisy as the ones measured: what it does to trials, slot by slot.

A campaign occupies one slot after the other, one trial each. What the machine does in a slot does
not depend on what runs in it, so the same draw can be given to the product's plan and to a naive
one. All effects are on ln TPS.

The sizes are those seen here: repeats of one and the same run of ten seconds differ by 2-14 %
(point selects by 26 %), and differences between neighbours are hardly smaller than those between
runs that are far apart: six blocks of the demo had a standard deviation of 14 % between paired
runs whose own was 9-12 %. So most of the noise is short; drift and memory have the smaller share.
Shared hosts also switch between two speeds and stay at one for minutes (`speeds`).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SECONDS = 10
"""Samples of one trial."""


@dataclass(frozen=True)
class Noise:
    """How much of what; the shares are of the variance between repeats."""

    cv: float
    """Coefficient of variation between repeats, bursts left out."""
    drift: float = 0.10
    """Share of a straight drift over the campaign."""
    wave: float = 0.05
    """Share of a slow oscillation."""
    memory: float = 0.25
    """Share of what one slot hands on to the next."""
    rho: float = 0.7
    """Correlation of it between neighbouring slots."""
    burst_chance: float = 0.04
    """Of a slot in which a neighbour's burst begins; it lasts for two slots on average."""
    burst_size: float = 1.5
    """Mean size of a burst, in units of `cv`."""
    ageing: float = 0.001
    """What a testbed loses with each trial on it (purge lag, fragmentation); each a little
    differently."""
    placement: float = 0.0
    """Standard deviation of a testbed's luck, for as long as it lives."""
    speeds: float = 1.0
    """How much faster the faster of two speeds is that the machine switches between."""
    treated: float = 1.0
    """Noise of an encrypted arm's own, as a multiple of a plain one's."""
    second_to_second: float = 0.15
    """Standard deviation of one second's TPS about its trial's mean."""

    @property
    def own(self) -> float:
        """Share of what is a slot's alone."""
        return 1 - self.drift - self.wave - self.memory

    def with_placement(self, deviation: float) -> "Noise":
        """The same machine with luck of placement."""
        return replace(self, placement=deviation)


def slots(draw: np.random.Generator, noise: Noise, campaigns: int, count: int) -> Array:
    """What the machine adds to ln TPS in each slot, campaigns x slots."""
    shape = (campaigns, count)
    time = np.linspace(-1, 1, count)
    spread = draw.normal(size=(campaigns, 1))
    drift = np.sqrt(3 * noise.drift) * spread * time
    phase = draw.uniform(0, 2 * np.pi, (campaigns, 1))
    turns = draw.uniform(0.5, 4, (campaigns, 1))
    wave = np.sqrt(2 * noise.wave) * np.sin(phase + np.pi * turns * time)
    own = np.sqrt(noise.own) * draw.normal(size=shape)
    memory = np.empty(shape)
    memory[:, 0] = draw.normal(size=campaigns)
    steps = draw.normal(size=shape) * np.sqrt(1 - noise.rho**2)
    for slot in range(1, count):
        memory[:, slot] = noise.rho * memory[:, slot - 1] + steps[:, slot]
    level = drift + wave + own + np.sqrt(noise.memory) * memory
    found: Array = noise.cv * (level - noise.burst_size * _bursts(draw, noise, shape))
    if noise.speeds == 1:
        return found
    found += np.log(noise.speeds) * at_the_faster_speed(draw, shape, SLOT_MINUTES)
    return found


SLOT_MINUTES = 22 / 60
"""From one trial's window to the next: 12 s and the rest of a trial."""
DWELL_MINUTES = 3.0, 60.0
"""How long a machine stays at one speed, evenly on the logarithmic scale."""


def at_the_faster_speed(
    draw: np.random.Generator, shape: tuple[int, int], slot_minutes: float
) -> Array:
    """The share of each slot that the machine spends at the faster of its two speeds."""
    campaigns, count = shape
    stays = int(count * slot_minutes / DWELL_MINUTES[0]) + 2
    shortest, longest = np.log(DWELL_MINUTES)
    dwell = np.exp(draw.uniform(shortest, longest, (campaigns, stays)))
    # A campaign begins somewhere within a stay.
    dwell[:, 0] *= draw.random(campaigns)
    switches = dwell.cumsum(axis=1) / slot_minutes
    first = draw.random((campaigns, 1)) < 0.5
    looks = 4
    moments = (np.arange(count * looks) + 0.5) / looks
    passed = np.array([np.searchsorted(own, moments) for own in switches])
    fast = (passed % 2 == 1) ^ first
    return np.asarray(fast.reshape(campaigns, count, looks).mean(axis=2))


def _bursts(draw: np.random.Generator, noise: Noise, shape: tuple[int, int]) -> Array:
    """Sizes of the bursts that are on in each slot; half of them last into the next."""
    begins = draw.random(shape) < noise.burst_chance
    sizes = draw.exponential(size=shape)
    goes_on = draw.random(shape) < 0.5
    found = np.zeros(shape)
    before = np.zeros(shape[0])
    for slot in range(shape[1]):
        before = np.where(begins[:, slot], sizes[:, slot], before * goes_on[:, slot])
        found[:, slot] = before
    return found


def seconds(draw: np.random.Generator, noise: Noise, levels: Array) -> Array:
    """Each second's ln TPS, campaigns x slots x seconds; their mean is the slot's level."""
    shape = (*levels.shape, SECONDS)
    wobble = draw.normal(size=shape)
    for second in range(1, SECONDS):
        wobble[..., second] = 0.6 * wobble[..., second - 1] + 0.8 * wobble[..., second]
    wobble -= wobble.mean(axis=2, keepdims=True)
    return levels[..., None] + noise.second_to_second * wobble
