"""`kubectl encbench history`: an overhead over many campaigns, and where its level changed."""

import argparse
from collections.abc import Container

from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT
from encbench.cli import installation, output
from encbench.cli.connection import connected, kubectl
from encbench.cli.output import CommandError
from encbench.cli.progress import refusal
from encbench.cli.report import find_body, not_there, stored, why_without
from encbench.core.artefact import RecordError, decode
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Cluster, NotRestored, Rejected, Store
from encbench.reconcile.objects import campaign, has_ended, overhead_report
from encbench.report.document import Report

ROSE, OPEN = 1, 3


async def history(args: argparse.Namespace) -> int:
    """Print the history; the exit code.

    With `--fail-on-rise`, 1 if the newest change of any level made an overhead larger, and 3 if no
    series is long enough for the test, or the newest campaign that is over has no report. Of each
    condition the newest series counts.
    """
    if args.filename and args.reports:
        raise CommandError("name reports of the cluster, or give files by -f, and not both")
    try:
        # What it draws and tests with is not among what the plugin always brings.
        import jinja2  # noqa: F401, PLC0415
        import matplotlib as mpl  # noqa: F401, PLC0415
        import scipy  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        advice = output.adding("scipy", "matplotlib", "jinja2")
        raise CommandError(f"a history needs {error.name}: {advice}") from error
    from encbench.report.history.renderings import RENDERINGS  # noqa: PLC0415
    from encbench.report.history.series import history as over_time  # noqa: PLC0415

    if args.filename:
        reports, lacking = from_files(args.filename), False
    else:
        reports, lacking = await _from_cluster(args)
    reports = _apart(_since(reports, args.since) if args.since else reports)
    found = over_time(reports, args.figure, allow_unlike=args.allow_unlike)
    if not found.series:
        raise CommandError("no report has an overhead of this figure: a history needs one at least")
    output.write(RENDERINGS[args.output](found).encode(), None)
    if not args.fail_on_rise:
        return 0
    current = [one for one in found.series if one.current]
    if any(one.rose for one in current):
        return ROSE
    return OPEN if lacking or all(one.course.p is None for one in current) else 0


def from_files(names: list[str]) -> list[Report]:
    """The reports in these files."""
    try:
        return [_read(output.read(name), name) for name in names]
    except RecordError as error:
        raise CommandError(f"{error}: name files report.json of campaigns") from error


def _read(content: bytes, key: str) -> Report:
    """The report in `content`, less what a history shows nothing of: a year fits into memory."""
    unused = dict.fromkeys(("trials", "unrecorded", "proofs", "studies"), ())
    return decode(Report, content, key).model_copy(update=unused)


def _since(reports: list[Report], campaign: str) -> list[Report]:
    """That campaign's and those of later ones; of several with that name the last one counts."""
    starts = [report.started for report in reports if report.campaign.name == campaign]
    if not starts:
        raise CommandError(f"--since: none of the reports is that of a campaign {campaign}")
    return [report for report in reports if report.started >= max(starts)]


def _apart(reports: list[Report]) -> list[Report]:
    """Those whose blocks are in no other one's figures, because points share no blocks."""
    where = {uid: report.campaign.name for report in reports for uid in report.contained}
    for name, uid in {(it.campaign.name, it.campaign.uid): None for it in reports}:
        if uid in where:
            output.say(f"left out: campaign {name}, whose blocks are among those of {where[uid]}")
    return [report for report in reports if report.campaign.uid not in where]


async def _from_cluster(args: argparse.Namespace) -> tuple[list[Report], bool]:
    """The reports of these names, or all of the namespace; and whether it lacks the last one."""
    async with connected(args) as (cluster, namespace):
        if args.reports:
            bodies = [await find_body(cluster, namespace, name) for name in args.reports]
        else:
            bodies = await cluster.list(OVERHEAD_REPORT, namespace, None)
        if not bodies:
            raise CommandError(f"namespace {namespace} has no OverheadReport: choose one with -n")
        way = (kubectl(args), cluster, namespace, args.release_namespace)
        async with installation.store(*way) as store:
            found = {body["metadata"]["name"]: await _fetched(store, body) for body in bodies}
        read = {name: report for name, report in found.items() if report is not None}
        if not read:
            raise CommandError("none of the reports can be read: see above why each is left out")
        lacks = not args.reports and await _lacks_last(cluster, namespace, found, read)
        return [*read.values()], lacks


async def _lacks_last(
    cluster: Cluster, namespace: str, found: Container[str], read: Container[str]
) -> bool:
    """Whether the newest campaign that is over has no report: nights that stop are no good news.

    A line on standard error says so, and names each newer campaign that still runs.
    """
    try:
        campaigns = await cluster.list(CAMPAIGN, namespace, None)
    except Rejected as error:
        output.say(f"whether nights are missing is not known: {error}")
        return False
    for body in sorted(campaigns, key=_created, reverse=True):
        name = body["metadata"]["name"]
        if name in found:
            return name not in read
        try:
            one = campaign(body)
        except Malformed as error:
            output.say(f"campaign {name} cannot be read: {error}")
            continue
        output.say(f"no report of campaign {name}: {why_without(one)}")
        if has_ended(one) or refusal(one.status):
            return True
    return False


def _created(body: Body) -> tuple[str, str]:
    return body["metadata"]["creationTimestamp"], body["metadata"]["name"]


async def _fetched(store: Store, body: Body) -> Report | None:
    """The whole report; None, and a line on standard error, where it cannot be had.

    Another version may have written the object, the bucket may have the report no more or in an
    archive class, or today's rules may refuse what it was measured by.
    """
    name = body["metadata"]["name"]
    try:
        artefacts = overhead_report(body).status.artefacts
        if artefacts is None:
            output.say(f"left out: report {name} has no rendering yet")
            return None
        where = artefacts.json_
        content = await stored(store, where)
        if content is not None:
            return _read(content, where.key)
        output.say(f"left out: report {name}: {not_there(where.key, artefacts.bucket, store)}")
    except (Malformed, RecordError, NotRestored) as error:
        output.say(f"left out: report {name}: {error}")
    return None
