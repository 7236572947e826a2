"""`kubectl encbench logs`: the containers of a campaign's pods."""

import argparse
import sys
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, POD
from encbench.cli.logs import logs
from encbench.cli.output import CommandError
from encbench.kube import labels
from tests.support.fake_cluster import FakeCluster
from tests.support.manifests import body


def arguments(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"campaign": "demo", "trial": None, "lines": 5, **given})


@pytest.fixture
def cluster() -> FakeCluster:
    """A campaign with a database, and a client of one trial; the client has said nothing yet."""
    found = FakeCluster()
    found.add(CAMPAIGN, body(CAMPAIGN, "demo", "bench"))
    for name, trial in (("client", "one"), ("bed-0", "")):
        own = {labels.CAMPAIGN: "demo", **({labels.TRIAL: trial} if trial else {})}
        meta = {"name": name, "namespace": "bench", "labels": own}
        spec = {"initContainers": [{"name": "prepare"}], "containers": [{"name": "server"}]}
        found.add(POD, {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    found.set_log("bench", "bed-0", "prepare", "made\n")
    found.set_log("bench", "bed-0", "server", "ready\n")
    return found


async def test_in_the_order_of_their_starts(cluster: FakeCluster, capsysbinary: Any) -> None:
    assert await logs(cluster, "bench", arguments()) == 0
    said = capsysbinary.readouterr().out.decode()
    assert said == "==> bed-0 prepare\nmade\n\n==> bed-0 server\nready\n\n"


async def test_a_terminal_gets_no_commands(
    cluster: FakeCluster, capsysbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.set_log("bench", "bed-0", "server", "ready\x1b[2J\tnow\rthen\n")
    assert await logs(cluster, "bench", arguments()) == 0
    assert b"ready\x1b[2J\tnow\rthen\n" in capsysbinary.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert await logs(cluster, "bench", arguments()) == 0
    assert b"ready [2J\tnow then\n" in capsysbinary.readouterr().out


async def test_only_those_of_a_trial(cluster: FakeCluster, capsysbinary: Any) -> None:
    cluster.set_log("bench", "client", "server", "running\n")
    assert await logs(cluster, "bench", arguments(trial="one")) == 0
    assert capsysbinary.readouterr().out.decode() == "==> client server\nrunning\n\n"


async def test_what_is_not_there_is_said(cluster: FakeCluster) -> None:
    with pytest.raises(CommandError, match="there is no campaign other in namespace bench"):
        await logs(cluster, "bench", arguments(campaign="other"))
    with pytest.raises(CommandError, match="trial two has no pods: they go when"):
        await logs(cluster, "bench", arguments(trial="two"))
