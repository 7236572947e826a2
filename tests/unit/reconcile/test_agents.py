"""Where sidecars are."""

import pytest

from encbench.ports import Unavailable
from encbench.reconcile import agents
from encbench.tools.pod import RECORDER_CONTROL_PORT
from tests.unit.reconcile.seen import a_pod


@pytest.mark.parametrize(("ip", "host"), [("10.0.0.7", "10.0.0.7"), ("fd00::7", "[fd00::7]")])
def test_the_address_of_a_pod_fits_into_a_url(ip: str, host: str) -> None:
    assert agents.recorder(a_pod(ip=ip)) == f"{host}:{RECORDER_CONTROL_PORT}"


def test_a_pod_without_an_address_cannot_be_asked() -> None:
    with pytest.raises(Unavailable, match="pod bed-0 has no address yet"):
        agents.recorder(a_pod(ip=None))
