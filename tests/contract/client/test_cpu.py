"""CPU time of the tool in the window, against a process that knows what it used."""

from pathlib import Path

import pytest

from encbench.tools.pod import wrapped
from tests.contract.client.harness import uploads
from tests.support import fake_tool
from tests.support.local_client import local_client
from tests.support.receiver import Receiver

pytestmark = pytest.mark.usefixtures("precedence")


@pytest.mark.parametrize("cores", [0.25, 0.9])
def test_cpu_of_a_known_burner(tmp_path: Path, receiver: Receiver, cores: float) -> None:
    command = wrapped(30, fake_tool.command(tmp_path, 1, 8, cores))
    with local_client(tmp_path / "pod", command) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        state = one.wait_for("uploaded", seconds=60)
    own = fake_tool.account(one.output)
    assert one.summary()["cpuSeconds"] == pytest.approx(own.cpu_seconds, rel=0.02)
    assert state["window"]["end"] - state["window"]["start"] == pytest.approx(
        own.seconds, rel=0.005
    )
