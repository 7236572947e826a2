"""A loss of TPS as capacity: the cores that bring TPS back, where the server's CPU was the limit.

TPS of a server that has nothing else to wait for is in proportion to its cores, so cores / (1 -
loss) of them do what `cores` did. A proxy or a file system that was near its own limit as well
would hold TPS back at once, so there is no capacity then. Nor is there one of an arm whose cipher
is or may be in the node's kernel, because the server's cores are without it.
"""

from collections.abc import Collection

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Interval, Row
from encbench.api.scalars import Name
from encbench.core.statistics.rounding import rounded
from encbench.report.document.group import Capacity


def capacity(
    cores: float | None,
    plain: Row,
    treated: Row,
    near: Collection[Name] = (),
    more: float | None = None,
) -> Capacity | None:
    """None where another limit than the server's CPU decided, in one of both arms or in both.

    `near` are arms in which something beside the server was near a limit of its own, `more` cores
    that the treatment has beside the server.
    """
    limited = {plain.saturation, treated.saturation} == {"DatabaseBound"}
    if not limited or {plain.arm, treated.arm} & set(near):
        return None
    if cores is None or treated.overhead is None or _all(treated.overhead):
        return None
    estimate, low, high = (
        None if end is None else rounded(cores / (1 - end)) for end in _ends(treated.overhead)
    )
    if estimate is None:
        return None
    return Capacity(cores=cores, needed=estimate, low=low, high=high, beside=more)


def more_beside(plain: EncryptionModeSpec, treated: EncryptionModeSpec) -> float | None:
    """Cores beside the server that the treatment has more than the baseline; None without any."""
    more = _beside(treated) - _beside(plain)
    return more if more > 0 else None


def _beside(mode: EncryptionModeSpec) -> float:
    parts = (mode.proxy, mode.gocryptfs)
    return sum(part.resources.cores for part in parts if part is not None)


def _ends(loss: Interval) -> tuple[float | None, ...]:
    return loss.estimate, loss.low, loss.high


def _all(loss: Interval) -> bool:
    """Whether nothing may be left of TPS."""
    return any(end is not None and end >= 1 for end in _ends(loss))
