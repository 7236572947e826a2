"""What every measurement has to be that is made of a tool's output, whatever that says."""

import math

from encbench.tools.measurement import Measurement


def sound(found: Measurement) -> None:
    """A result is one that a report can show."""
    assert 0 < found.seconds < math.inf, found
    assert 0 <= found.tps < math.inf, found
    assert found.transactions >= 0, found
    for figure in (found.latency_average_ms, found.latency_p95_ms):
        assert figure is None or 0 <= figure < math.inf, found
