"""The server's container, where it is MySQL or one of its family."""

from collections.abc import Sequence

from encbench.engines import pod
from encbench.engines.context import DatabaseContext
from encbench.engines.innodb.layout import PORT, Layout
from encbench.kube import pods
from encbench.ports import Body


def server(context: DatabaseContext, program: str, layout: Layout, mounts: Sequence[Body]) -> Body:
    """It runs `program`, with these mounts and the credentials."""
    command = [
        program,
        f"--defaults-file={layout.server_cnf}",
        # Not in the option file, by which the data directory is made as well.
        f"--init-file={layout.init_sql}",
    ]
    credentials = pods.mount("server-credentials", layout.credentials)
    return pod.server(context, PORT, pod.with_files(command), [*mounts, credentials])
