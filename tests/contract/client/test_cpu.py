"""CPU time of the tool in the window, against a process that knows what it used."""

from pathlib import Path

import pytest

from encbench.tools.pod import wrapped
from tests.contract.client.harness import uploads
from tests.support import fake_tool
from tests.support.busy import nearest
from tests.support.local_client import local_client
from tests.support.receiver import Receiver, receiving

pytestmark = pytest.mark.usefixtures("precedence")


@pytest.mark.parametrize("cores", [0.25, 0.9])
def test_cpu_of_a_known_burner(tmp_path: Path, cores: float) -> None:
    assert nearest(lambda number: off(tmp_path / f"{number}", cores), 0.02) <= 0.02


def off(folder: Path, cores: float) -> float:
    """The share by which a run's CPU time is off."""
    folder.mkdir()
    command = wrapped(30, fake_tool.command(folder, 1, 8, cores))
    with receiving(Receiver()) as receiver, local_client(folder / "pod", command) as one:
        one.wait_for("waiting")
        one.release(uploads(receiver))
        one.wait_for("uploaded", seconds=60)
    own, summary = fake_tool.account(one.output), one.summary()
    assert summary["window"]["seconds"] == pytest.approx(own.seconds, rel=0.005)
    return abs(float(summary["cpuSeconds"]) / own.cpu_seconds - 1)
