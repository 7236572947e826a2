"""The trust store of a client's pod: an init container of our image makes it of the CA's PEM file.

The container has ended before the client waits at the barrier, so a long bundle costs no trial its
time, and the client's image needs no program for it.
"""

from collections.abc import Mapping

from encbench.core.certificates import FOLDER
from encbench.kube import pods
from encbench.ports import Body
from encbench.tools import pod
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.tpcc import jdbc
from encbench.tools.tpcc.props import CA_FILE, SCRATCH

NAME = "trust-store"
_MEMORY = "64Mi"


def init_containers(
    context: LoadContext | TrialContext,
    chosen: str | None,
    files: Mapping[str, Body],
    cpu: str,
    share: int,
) -> list[Body]:
    """The container, if the driver may need the file; `cpu` and `share` are the client's own."""
    if not jdbc.wants_trust_store(context.connection, chosen):
        return []
    module = ["python3", "-m", "encbench.sidecars.truststore"]
    return [
        pods.container(
            NAME,
            context.programs.operator,
            [*module, CA_FILE, jdbc.TRUST_STORE, jdbc.TRUST_STORE_PASSWORD],
            pods.resources(cpu, _MEMORY, share),
            pod.mounts({path: files[path] for path in (SCRATCH, FOLDER)}),
        )
    ]
