"""A process that does not lead writes nothing, whatever it is in the middle of."""

import pytest

from encbench.adapters.kubernetes import KubernetesCluster
from encbench.adapters.kubernetes_http import FencedTransport, HttpAnswer
from encbench.api.kinds import CAMPAIGN
from encbench.ports import Unavailable
from tests.support import manifests

BODY = manifests.body(CAMPAIGN, "study", "ns")
WRITES = {
    "create": (CAMPAIGN, BODY),
    "apply": (CAMPAIGN, BODY),
    "apply_status": (CAMPAIGN, BODY),
    "patch_metadata": (CAMPAIGN, "ns", "study"),
    "delete": (CAMPAIGN, "ns", "study", "uid"),
}
READS = {
    "get": (CAMPAIGN, "ns", "study"),
    "list": (CAMPAIGN, "ns"),
    "logs": ("ns", "pod", "container", 1),
}


class Open:
    """A transport that counts what passes."""

    def __init__(self) -> None:
        self.methods: list[str] = []

    async def exchange(self, method: str, *_: object) -> HttpAnswer:
        self.methods.append(method)
        return HttpAnswer(200, b'{"metadata": {"name": "study"}, "items": []}')


async def call(cluster: KubernetesCluster, verb: str) -> object:
    answer: object = await getattr(cluster, verb)(*{**READS, **WRITES}[verb])
    return answer


@pytest.mark.parametrize("verb", WRITES)
async def test_no_write_passes_a_closed_fence(verb: str) -> None:
    way, leads = Open(), [False]
    cluster = KubernetesCluster(FencedTransport(way, lambda: leads[0]))
    with pytest.raises(Unavailable, match="does not lead its shard"):
        await call(cluster, verb)
    assert way.methods == []
    leads[0] = True
    await call(cluster, verb)
    assert len(way.methods) == 1


@pytest.mark.parametrize("verb", READS)
async def test_reads_pass(verb: str) -> None:
    way = Open()
    await call(KubernetesCluster(FencedTransport(way, lambda: False)), verb)
    assert way.methods == ["GET"]


async def test_an_event_is_no_exception(caplog: pytest.LogCaptureFixture) -> None:
    way = Open()
    cluster = KubernetesCluster(FencedTransport(way, lambda: False))
    await cluster.event(CAMPAIGN, BODY, "Failed", "because")
    assert way.methods == []
    assert "does not lead its shard" in caplog.text
