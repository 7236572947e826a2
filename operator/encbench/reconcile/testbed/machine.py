"""The node that a testbed's database runs on, as its agent and the Node describe it."""

from contextlib import suppress

from encbench.api.kinds import NODE
from encbench.api.testbed import Machine
from encbench.kube import machines
from encbench.ports import Body, Reader, Rejected
from encbench.reconcile.pods import PodFacts
from encbench.wire.agent import MachineRows


async def machine(
    cluster: Reader, pod: PodFacts, reported: MachineRows, known: Machine | None
) -> Machine | None:
    """The node, whose CPU and kernel the agent has reported. Unavailable as the API server is.

    The Node itself is read only where `known` is another one, because a server may be started for
    each trial.
    """
    if pod.node is None:
        return None
    if known is None or known.node != pod.node:
        body: Body | None = None
        with suppress(Rejected):
            body = await cluster.get(NODE, "", pod.node)
        known = machines.of_node(pod.node, body or {})
    # A node that was restarted may have another kernel.
    own = {"cpu_model": reported["cpuModel"], "kernel": reported["kernel"]}
    return known.model_copy(
        update={name: said[: machines.LONGEST_NAME] for name, said in own.items()}
    )
