"""The SIMULATION of an enclave's boundary: what a crossing of it costs.

The cryptography behind the boundary is real; the boundary is a calibrated delay. docs/enclave.md
says what counts as a crossing, and what the simulation leaves out.
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model
from encbench.api.rules import Rule, fits, literal, matches

_FORM = "^[0-9]{1,7}(ns|us|ms)$"
_MOST = "^0*([0-9]{1,6}ns|1000000ns|[0-9]{1,3}us|1000us|1?ms)$"
_TOO_LITTLE = "^0*[1-9][0-9]?ns$|^0*1[0-9][0-9]ns$"
_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000}

BoundaryCost = Annotated[
    str,
    Field(max_length=10),
    matches(_FORM, "write a whole number of ns, us or ms, such as 8us or 1200ns"),
    Rule(
        cel=f"!self.matches({literal(_FORM)}) || self.matches({literal(_MOST)})",
        message="write 1ms at most: a crossing of a real enclave's boundary costs microseconds",
        holds=lambda text: not fits(_FORM, text) or fits(_MOST, text),
    ),
]
"""A cost of the boundary; 0ns turns it off."""

ValueCost = Annotated[
    BoundaryCost,
    Rule(
        cel=f"!self.matches({literal(_TOO_LITTLE)})",
        message="write 0ns (off) or 200ns at least: the cost of a value includes its cryptography, "
        "which takes about that long",
        holds=lambda text: re.search(_TOO_LITTLE, text) is None,
    ),
]
"""The cost of a value, which its cryptography fills in part."""

IndexClass = Literal["Single", "PageBatch"]


def nanoseconds(cost: str) -> int:
    """A cost such as 8us."""
    return int(cost[:-2]) * _NANOSECONDS[cost[-2:]]


class Enclave(Model):
    """A SIMULATION of an enclave's boundary. It spins; it protects nothing."""

    transition: BoundaryCost = "8us"
    """Least time of a crossing: 0ns for none, or 5us to 1ms, which a proof can measure."""
    value: ValueCost = "1200ns"
    """Least time for each value that is opened or sealed in a crossing, its cryptography included:
    0ns for the cryptography alone, or 200ns to 80us; beside a transition of 1ms to
    20us."""
    index: IndexClass = "Single"
    """Operator class of indexes on encrypted columns. Single: one crossing for each comparison.
    PageBatch: one for each search of a page."""

    @property
    def transition_ns(self) -> int:
        """Nanoseconds of a crossing."""
        return nanoseconds(self.transition)

    @property
    def value_ns(self) -> int:
        """Nanoseconds of a value."""
        return nanoseconds(self.value)

    @property
    def is_free(self) -> bool:
        """Whether crossing it costs nothing, so that the cryptography alone is left."""
        return self.transition_ns == 0 and self.value_ns == 0
