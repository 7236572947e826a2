"""Commands with a log and a bound: what becomes of one that takes too long."""

from pathlib import Path

import pytest

from tests.cluster.command import run_logged
from tests.cluster.console import ClusterError

FINISHES = "trap '' INT; sleep 1; touch finished"
"""Deaf to what asks it to stop, as dpkg is in a maintainer's script."""


def test_the_package_manager_has_ended_when_its_time_is_said_to_be_over(tmp_path: Path) -> None:
    """Else services would start: what keeps them from that is removed next."""
    log = tmp_path / "packages.log"
    with pytest.raises(ClusterError, match="sh took longer than 0 s"):
        run_logged(["sh", "-c", FINISHES], log, timeout=0.5, cwd=tmp_path, contained=False)
    assert (tmp_path / "finished").exists()
    assert log.read_text().startswith("$ sh -c trap")
