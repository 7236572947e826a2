"""`kubectl encbench report`: the table from the OverheadReport, or a rendering from the bucket."""

import sys
from pathlib import Path

from encbench.api.kinds import OVERHEAD_REPORT
from encbench.api.overheadreport import Artefact, Artefacts
from encbench.cli import installation
from encbench.cli.errors import CommandError
from encbench.core.artefact import check
from encbench.ports import Cluster
from encbench.reconcile.objects import overhead_report
from encbench.report.summary import text


async def report(cluster: Cluster, namespace: str, name: str, output: str, file: str | None) -> int:
    """Print or write it; the exit code."""
    body = await cluster.get(OVERHEAD_REPORT, namespace, name)
    if body is None:
        raise CommandError(
            f"there is no report {name} in namespace {namespace}: it comes when the campaign ends "
            f"(kubectl encbench watch {name} -n {namespace})"
        )
    found = overhead_report(body)
    if output == "text":
        _write(text(found.status).encode() + b"\n", file)
        return 0
    artefacts = found.status.artefacts
    if artefacts is None:
        raise CommandError(f"report {name} has no rendering yet: try again in a moment")
    wanted = artefact(artefacts, output)
    async with installation.store(cluster, await installation.find(cluster, namespace)) as store:
        content = await store.get(wanted.key)
    if content is None:
        raise CommandError(f"{wanted.key} is no longer in bucket {artefacts.bucket}")
    _write(check(content, wanted.key, wanted.digest), file)
    return 0


def artefact(artefacts: Artefacts, output: str) -> Artefact:
    """The rendering of that name."""
    return {
        "html": artefacts.html,
        "md": artefacts.markdown,
        "csv": artefacts.csv,
        "json": artefacts.json_,
    }[output]


def _write(content: bytes, file: str | None) -> None:
    if file is None:
        sys.stdout.buffer.write(content)
        return
    Path(file).write_bytes(content)
