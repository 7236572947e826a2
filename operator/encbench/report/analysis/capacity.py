"""A loss of TPS as capacity: the cores that bring TPS back, where the server's CPU was the limit.

TPS of a server that has nothing else to wait for is in proportion to its cores, so cores / (1 -
loss) of them do what `cores` did.
"""

from encbench.api.overheadreport import Interval, Row
from encbench.core.statistics.rounding import rounded
from encbench.report.document.group import Capacity


def capacity(cores: float | None, plain: Row, treated: Row) -> Capacity | None:
    """None where another limit than the server's CPU decided, in one of both arms or in both."""
    limited = {plain.saturation, treated.saturation} == {"DatabaseBound"}
    if cores is None or not limited or treated.overhead is None or _all(treated.overhead):
        return None
    estimate, low, high = (
        None if end is None else rounded(cores / (1 - end)) for end in _ends(treated.overhead)
    )
    return None if estimate is None else Capacity(cores=cores, needed=estimate, low=low, high=high)


def _ends(loss: Interval) -> tuple[float | None, ...]:
    return loss.estimate, loss.low, loss.high


def _all(loss: Interval) -> bool:
    """Whether nothing may be left of TPS."""
    return any(end is not None and end >= 1 for end in _ends(loss))
