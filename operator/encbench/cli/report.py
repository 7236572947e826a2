"""`kubectl encbench report`: the table from the OverheadReport, or a rendering from the bucket."""

import argparse
import os
import sys
from pathlib import Path

from encbench.api.conditions import find as find_condition
from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT
from encbench.api.lifecycle import FAILED
from encbench.api.overheadreport import Artefact
from encbench.cli import installation, output
from encbench.cli.connection import check_served, kubectl
from encbench.cli.output import CommandError
from encbench.cli.progress import refusal
from encbench.core.artefact import check
from encbench.ports import Body, Cluster, Store
from encbench.reconcile.objects import (
    Campaign,
    OverheadReport,
    campaign,
    has_ended,
    overhead_report,
)
from encbench.report.formats.summary import text


async def report(cluster: Cluster, namespace: str, args: argparse.Namespace) -> int:
    """Print, write or open it; the exit code."""
    if args.open and args.link:
        raise CommandError("--open and --link exclude each other: --link is for other people")
    if args.open and args.output not in ("text", "html"):
        raise CommandError(f"--open shows the page: leave --output {args.output} out")
    found = await find(cluster, namespace, args.campaign)
    if args.link:
        _, where = _artefact(found, "html" if args.output == "text" else args.output)
        release, seconds = args.release_namespace, args.expires * 3600
        url = await installation.link(cluster, namespace, release, where.key, seconds)
        output.write(f"{url}\n".encode(), args.file)
        return 0
    if args.open:
        page = await fetch(args, cluster, found, "html")
        return _open(page, _place(args.file, found))
    if args.output == "text":
        content = text(found.status).encode()
    else:
        content = await fetch(args, cluster, found, args.output)
    output.write(content, args.file)
    return 0


async def find(cluster: Cluster, namespace: str, name: str) -> OverheadReport:
    """The report; CommandError if it does not exist yet, or any more."""
    return overhead_report(await find_body(cluster, namespace, name))


async def find_body(cluster: Cluster, namespace: str, name: str) -> Body:
    """The same as the API server has it."""
    body = await cluster.get(OVERHEAD_REPORT, namespace, name)
    if body is not None:
        return body
    of = await cluster.get(CAMPAIGN, namespace, name)
    if of is None:
        await check_served(cluster, namespace)
        raise CommandError(
            f"there is neither campaign nor report {name} in namespace {namespace}: name another "
            "namespace with -n"
        )
    why = why_without(campaign(of))
    raise CommandError(f"there is no report {name} in namespace {namespace}: {why}")


def why_without(of: Campaign) -> str:
    """Why a campaign has no report."""
    if why := refusal(of.status):
        return f"the campaign was refused: {why}"
    if not has_ended(of):
        look = f"kubectl encbench watch {of.name} -n {of.namespace}"
        return f"it appears when the campaign ends ({look})"
    failed = find_condition(of.status.conditions, FAILED)
    if of.status.report_ref is None and failed is not None:
        return f"the campaign ended without one: {failed.message}"
    return f"it was deleted; its files are in the bucket under {of.status.storage_prefix}/report/"


async def fetch(
    args: argparse.Namespace, cluster: Cluster, found: OverheadReport, wanted: str
) -> bytes:
    """A rendering from the bucket, checked against its digest."""
    bucket, where = _artefact(found, wanted)
    way = (kubectl(args), cluster, found.namespace, args.release_namespace)
    async with installation.store(*way) as store:
        content = await stored(store, where)
        if content is None:
            raise CommandError(not_there(where.key, bucket, store))
    return content


def not_there(what: str, named: str, store: Store) -> str:
    """That something is not in the bucket, which may be another one than its report names."""
    other = installation.other_bucket(named, store)
    return f"{what} is not in bucket {store.bucket}{other and f'; {other}'}"


async def stored(store: Store, where: Artefact) -> bytes | None:
    """An object of the bucket, checked against its digest; None if it is gone."""
    content = await store.get(where.key)
    return None if content is None else check(content, where.key, where.digest)


def _artefact(found: OverheadReport, wanted: str) -> tuple[str, Artefact]:
    """The bucket, and where in it a rendering is; CommandError before there is one."""
    artefacts = found.status.artefacts
    if artefacts is None:
        raise CommandError(f"report {found.name} has no rendering yet: try again in a moment")
    name = {"md": "markdown", "json": "json_"}.get(wanted, wanted)
    return artefacts.bucket, getattr(artefacts, name)


def _place(file: str | None, found: OverheadReport) -> Path:
    """The page's file: one for each report, replaced when the report is opened again.

    Clusters have namespaces and reports of the same names, but not of the same uid.
    """
    if file is not None:
        return Path(file)
    try:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError as error:
        raise CommandError(f"you have no home folder for the page: {_ELSEWHERE}") from error
    page = f"{found.name}-{found.uid}.html"
    return Path(cache) / "encbench" / "reports" / found.namespace / page


_ELSEWHERE = "write it elsewhere: report --open --file FILE"
_DENIED = "if the browser is denied that file (a snap may not read hidden folders), " + _ELSEWHERE


def _open(page: bytes, place: Path) -> int:
    """Write the page, print its path, and open it in the browser if one starts.

    A browser that is confined, as by a snap, may start and then be denied a hidden folder.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"cannot make {output.reason(error)}; {_ELSEWHERE}") from error
    output.write(page, str(place))
    print(place)
    # This import takes half as long as a whole table.
    import webbrowser  # noqa: PLC0415

    whole = place.resolve()
    if not webbrowser.open(whole.as_uri()):
        print("no browser could be started: open the file above yourself", file=sys.stderr)
    elif any(part.startswith(".") for part in whole.parts):
        print(_DENIED, file=sys.stderr)
    return 0
