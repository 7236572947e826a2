"""A server beside gocryptfs' privileged container: its user gets no hold on what is root there."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign
from tests.support.install import NAMESPACE, privileged_volumes
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full

NAME = "beside-root"
ROOM = {"cpu": "200m", "memory": "96Mi"}
ATTACK = r"""
for place in /proc/[0-9]*; do
  id=${place#/proc/}
  uid=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "$place/status" 2>/dev/null) || continue
  [ "$uid" = 0 ] || continue
  echo "root $id"
  ls "$place/root/" >/dev/null 2>&1 && echo "entered $id"
  cat "$place/environ" >/dev/null 2>&1 && echo "read $id"
  head -c 1 "$place/mem" >/dev/null 2>&1 && echo "traced $id"
  kill -0 "$id" 2>/dev/null && echo "signalled $id"
done
[ -e /dev/fuse ] && echo "device"
grep -E '^(CapEff|CapPrm|CapBnd):' /proc/self/status
true
"""
"""What the server's user may do to each process of root's in its pod."""


@pytest.fixture
def testbed(installed: Kube) -> Iterator[str]:
    """A database on gocryptfs that serves."""
    gocryptfs = {"cipher": "AES-GCM", "resources": ROOM}
    mode = manifests.mode("beside", atRest={"method": "volume", "volume": {"gocryptfs": gocryptfs}})
    with privileged_volumes(installed):
        try:
            installed.apply(mode, manifests.campaign(NAME, ["beside"], blocks={"min": 1}))
            yield wait_for("the database on gocryptfs", _proven(installed), 400)
        finally:
            delete_campaign(installed, NAME)


def _proven(kube: Kube) -> Callable[[], str | None]:
    def look() -> str | None:
        for body in kube.list("testbeds", NAMESPACE, f"encbench.io/campaign={NAME}"):
            if body["spec"]["arm"]["name"] == "beside":
                fact: dict[str, Any] = conditions(body).get("Proven", {})
                return str(body["metadata"]["name"]) if fact.get("status") == "True" else None
        return None

    return look


def test_the_server_s_user_has_no_hold_on_root(installed: Kube, testbed: str) -> None:
    inside = ("--container=server", "--", "sh", "-c", ATTACK)
    said = installed.kubectl("exec", f"{testbed}-0", f"--namespace={NAMESPACE}", *inside)
    lines = said.splitlines()
    assert [line for line in lines if line.startswith("root ")], "root's processes are in sight"
    words = ("entered", "read", "traced", "signalled", "device")
    assert not [line for line in lines if line.startswith(words)], said
    capabilities = [line.split()[1] for line in lines if line.startswith("Cap")]
    assert len(capabilities) == 3
    assert {int(one, 16) for one in capabilities} == {0}
