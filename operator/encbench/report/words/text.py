"""How figures and specs read, the same in every rendering.

An absent figure is a dash, a negative one has a real minus sign, and a space precedes a percent
sign. These functions only round what is shown, never what is computed with.
"""

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from encbench.api.base import Model
from encbench.api.overheadreport import Interval
from encbench.text.rounding import decimals

if TYPE_CHECKING:
    # The report's models take as long to build as all else that a table in a terminal needs.
    from encbench.report.document.group import Capacity

ABSENT = "–"
ALPHA = 0.05
"""Below it a p-value decides."""
SMALL_MARGIN = 0.005
"""Below it one decimal of percent is too coarse to stand beside a margin."""


def number(value: float | None, digits: int) -> str:
    """A number with thousands separators and that many decimals."""
    if value is None:
        return ABSENT
    shown = f"{value:,.{digits}f}"
    if not any(c in "123456789" for c in shown):
        shown = shown.lstrip("-")
    return shown.replace("-", "−")


def rate_digits(values: Iterable[float | None]) -> int:
    """Decimals for a table of rates: about four figures of the largest."""
    largest = max((v for v in values if v is not None), default=0.0)
    return 0 if largest >= 1000 else 1 if largest >= 100 else 2


def percent(fraction: float | None, digits: int = 1) -> str:
    """0.078 reads as `7.8 %`."""
    return ABSENT if fraction is None else f"{number(100 * fraction, digits)} %"


def margin(fraction: float) -> str:
    """A fraction from a spec, with no more decimals than it has: 0.05 reads as `5 %`."""
    return f"{100 * fraction:.6g} %"


def meaning(fraction: float) -> str:
    """What verdicts ask for beyond this margin, in a few sentences."""
    limit = margin(fraction)
    return (
        f"The margin is {limit}: Overhead needs the whole paired 95 % interval above it, "
        f"Equivalent needs it inside ±{limit}. Either also has to hold in spite of the testbeds' "
        "luck, of what one arm leaves for the next, of the number of modes and looks, and of a "
        "cipher in the node's kernel. Any other figure that has data is Inconclusive."
    )


def digits_beside(fraction: float, *values: float | None) -> int:
    """Decimals of percent that tell what stands beside a margin from it.

    Below a margin of 0.5 % one more than it has, so that 0.26 % does not read as above 0.3 %; and
    as many as put each of the values on its own side of ±margin.
    """
    least = 1
    if fraction < SMALL_MARGIN:
        shown = Decimal(margin(fraction).removesuffix(" %"))
        least = 1 - min(0, int(shown.as_tuple().exponent))
    own = [100 * value for value in values if value is not None]
    return max(decimals(least, own, side * 100 * fraction) for side in (1, -1))


def bounds_beside(fraction: float, interval: Interval | None, unit: str = "%") -> str:
    """An interval's bounds, each on its own side of a margin: `[5.03, 8.00] %` beside 5 %."""
    return bounds(interval, unit, _digits(interval, fraction))


def alone_beside(fraction: float, interval: Interval | None) -> str:
    """The estimate that stands beside these bounds, with as many decimals."""
    return percent(point(interval), _digits(interval, fraction))


def signed_alone_beside(fraction: float, interval: Interval | None) -> str:
    """The same of what may rise or fall."""
    return signed_percent(point(interval), _digits(interval, fraction))


def points_alone(interval: Interval | None) -> str:
    """The same of a difference of two fractions, in points beside 0: `+7.8`."""
    estimated = point(interval)
    return signed(None if estimated is None else 100 * estimated, _digits(interval, 0.0))


def floor_beside(fraction: float | None, floor: float | None) -> str:
    """A noise floor on its own side of a margin, if that is known: `3.02 %` beside 3 %."""
    return percent(floor, 1 if fraction is None else digits_beside(fraction, floor))


def signed_percent(fraction: float | None, digits: int = 1) -> str:
    """0.078 reads as `+7.8 %`."""
    return ABSENT if fraction is None else f"{signed(100 * fraction, digits)} %"


def signed(value: float | None, digits: int = 1) -> str:
    """A number with its sign, for differences."""
    shown = number(value, digits)
    return f"+{shown}" if any(c in "123456789" for c in shown) and shown[0] != "−" else shown


def bounds(interval: Interval | None, unit: str = "%", digits: int = 1) -> str:
    """An interval's bounds in hundredths with their unit: `[6.1, 9.4] %`."""
    if interval is None or interval.low is None or interval.high is None:
        return ABSENT
    low, high = (number(100 * end, digits) for end in (interval.low, interval.high))
    return f"[{low}, {high}] {unit}"


def point(interval: Interval | None) -> float | None:
    """The estimate alone."""
    return interval.estimate if interval else None


def estimate(interval: Interval | None, beside: float | None = None) -> str:
    """An estimate with its bounds, if it has any: `7.8 % [6.1, 9.4] %`.

    `beside` is a margin, or 0, from which no bound may seem to be on the other side.
    """
    digits = _digits(interval, beside)
    return _with_bounds(percent(point(interval), digits), interval, digits)


def _with_bounds(shown: str, interval: Interval | None, digits: int = 1) -> str:
    has_bounds = interval is not None and interval.low is not None
    return f"{shown} {bounds(interval, digits=digits)}" if has_bounds else shown


def half_width(fraction: float) -> str:
    """Half of an interval with two significant digits: 0.01 reads as `±1 %`."""
    return f"±{100 * fraction:.2g} %"


def duration(seconds: float) -> str:
    """About how long: `40 s`, `6 minutes`, `2.5 hours`, `3 days`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    hours = seconds / 3600
    if hours < 48:
        return f"{hours:.2g} hours"
    return f"{number(hours / 24, 0)} days"


def about(count: int) -> str:
    """A count with two significant digits: 1,234 reads as `1,200`."""
    return f"{int(float(f'{count:.2g}')):,}"


def cores(capacity: "Capacity") -> str:
    """`8.6 [8.4, 8.8] and 1 beside the server`, with as many decimals as its bounds call for."""
    beside = "" if capacity.beside is None else f" and {capacity.beside:g} beside the server"
    if capacity.low is None or capacity.high is None:
        return f"{number(capacity.needed, 1)}{beside}"
    half = max((capacity.high - capacity.low) / 2, 1e-3)
    digits = min(3, max(0, -math.floor(math.log10(half))))
    # A bound above the server's own cores does not read as those.
    digits = min(3, decimals(digits, [capacity.low], capacity.cores))
    ends = f"[{number(capacity.low, digits)}, {number(capacity.high, digits)}]"
    return f"{number(capacity.needed, digits)} {ends}{beside}"


def between(interval: Interval | None, beside: float) -> str:
    """The bounds alone, in words: `6.1 to 9.4 %`; each on its own side of a margin."""
    if interval is None or interval.low is None or interval.high is None:
        return percent(point(interval))
    digits = _digits(interval, beside)
    return f"{number(100 * interval.low, digits)} to {percent(interval.high, digits)}"


def signed_estimate(interval: Interval | None, beside: float | None = None) -> str:
    """The same of what may rise or fall: `+7.8 % [6.1, 9.4] %`."""
    digits = _digits(interval, beside)
    return _with_bounds(signed_percent(point(interval), digits), interval, digits)


def signed_points(interval: Interval | None, unit: str = "points") -> str:
    """A difference of two fractions, beside 0: `+0.4 points [−0.8, 1.6]`."""
    if interval is None:
        return ABSENT
    digits = _digits(interval, 0.0)
    shown = f"{signed(100 * interval.estimate, digits)} {unit}"
    has_bounds = interval.low is not None
    return f"{shown} {bounds(interval, '', digits).rstrip()}" if has_bounds else shown


def _digits(interval: Interval | None, beside: float | None) -> int:
    if interval is None or beside is None:
        return 1
    return digits_beside(beside, interval.low, interval.high)


def probability(value: float | None, level: float = ALPHA) -> str:
    """A p-value: three decimals, and `<0.001` below what they can show.

    More than three where it would read as the level that it is held to, or on its other side.
    """
    if value is None:
        return ABSENT
    if value < min(0.001, level):
        return "<0.001"
    return number(value, decimals(3, [value], level))


def p_value(value: float | None) -> str:
    """In a sentence about a test that holds below 0.05: two figures, or enough to see it apart."""
    if value is None:
        return ABSENT
    shown = f"{value:.2g}"
    if float(shown) != ALPHA:
        return shown
    return number(value, decimals(2, [value], ALPHA))


def spelled(spec: Model, empty: str) -> str:
    """A spec in one line, whatever its fields: `at rest: method engine, algorithm AES_CTR`."""
    parts = [
        f"{_words(key)}{':' * isinstance(value, Mapping)} {_inner(value)}"
        for key, value in _without_empty(spec.to_dict()).items()
    ]
    return "; ".join(parts) or empty


def _words(name: str) -> str:
    """`atRest` reads as `at rest`; a name with an underscore is a server's own and stays."""
    return name if "_" in name else re.sub(r"(?<=[a-z])[A-Z]", lambda c: f" {c[0].lower()}", name)


def _without_empty(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: _without_empty(entry) for key, entry in value.items()}
        return {key: entry for key, entry in kept.items() if entry not in ({}, [])}
    return value


def _inner(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(key)} {_inner(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return ", ".join(_inner(entry) for entry in value)
    # As in the manifest, not as in Python.
    return str(value).lower() if isinstance(value, bool) else str(value)
