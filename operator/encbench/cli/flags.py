"""The command line: the words and flags of every command, without what they do.

All commands share exit codes: 0 when all is well, 1 when the answer is bad (a campaign that failed,
a plan that would be refused, tables that contradict each other), 2 when the command could not be
carried out. `watch` also exits with 2 for a refused campaign, and with 3 after its timeout.
"""

import argparse
from collections.abc import Sequence
from functools import partial

from encbench import __version__
from encbench.audit.formulas import FORMULAS

FIGURES = (
    *("tps", "latencyAverage", "latencyP95"),
    *("cpuPerTransaction", "clientCpuPerTransaction", "recovery"),
)
"""Those of `FigureKey`, whose module takes longer to import than the help takes to print."""

_AUDIT = """\
Recompute published overheads from the figures that they were published with, and look for figures
that cannot be right.

The headers of known studies' tables, and of encbench's own report.csv and study-*.csv, are
recognised. Name the columns of any other CSV; without --published the overheads are computed. If
the plain figures are in another of the files, both are joined by the columns that identify a
condition: those with such a name (instance, benchmark, version, threads and the like) and those
that hold text, unless --key names them.

An overhead follows if some numbers that round to the printed figures give one that rounds to the
published one. It is a rounding slip if it is off by less than half a step of its last digit.
Anything else is a contradiction. docs/audit.md has the rules in full.
"""

_AUDIT_MORE = """\
examples:
  kubectl encbench audit published/*.csv
  kubectl encbench audit mine.csv --plain tps_off --encrypted tps_on
  kubectl encbench audit mine.csv --plain tps_off --encrypted tps_on --published loss_percent
  kubectl encbench audit tps.csv claims.csv --plain tps --encrypted tps_tde --published ratio \\
      --formula ratio --key instance,threads
  kubectl encbench audit long.csv --plain qps --encrypted qps --baseline mode=off --response ms

exit codes:
  0  every published overhead follows, and no figure contradicts another
  1  something does not follow, cannot be right or could not be checked
  2  no file or not all of the named columns can be understood
"""

_PLAN = """\
Show what a campaign would do before anything runs: cells, arms, trials, the order of each block,
the machine time needed, and everything that would be refused.

The operator uses the same checks and the same plan. What its installation has and allows is read
from its Deployment. With -f or -k no cluster is needed: what the manifests lack is then missing,
unless --live finds it in the cluster.
"""

_PLAN_MORE = """\
examples:
  kubectl encbench plan -k campaigns/demo
  kubectl encbench plan -f campaign.yaml -f parts.yaml
  kubectl encbench plan demo -n encbench

exit codes:
  0  every campaign would be accepted
  1  something would be refused
  2  the manifests cannot be read
"""

_IMAGES = """\
List the images of all pods that a campaign has, so that they can be mirrored to a private registry.

Those of the installation are read from the operator's Deployment. With -f or -k no cluster is
needed: what the manifests lack is then missing, unless --live finds it in the cluster.
"""

_IMAGES_MORE = """\
examples:
  kubectl encbench images demo -n encbench
  kubectl encbench images -k campaigns/demo --output name | grep -v /encbench/ | \\
      while read -r image; do crane copy "$image" "registry.example.com/mirror/${image#*/}"; done

That copies the images of others. encbench's own come with a release, and its push.sh pushes them.

exit codes:
  0  listed
  2  the manifests or the campaign cannot be read
"""

_EXTEND = """\
Measure more blocks of a campaign that is complete, with the plan that it froze.

A follow-up campaign is made: the same parts as they were then, the same margin and limits, new
orders, new testbeds, and N blocks under each condition. N is final: what is measured cannot change
it. The follow-up's report pools both campaigns where the machine is the same.

A campaign that announced blocks.extensions is judged again by the blocks of both, each look at its
part of the usual error. Any other can be extended once; its follow-up is judged by its own blocks,
and the pooled figures stand beside them without a verdict. docs/design/0013-extend.md says why.
"""

_EXTEND_MORE = """\
examples:
  kubectl encbench extend demo --blocks 12
  kubectl encbench extend demo --blocks 12 --dry-run > more.yaml

exit codes:
  0  the follow-up was made, now or by the same command before, or printed by --dry-run
  2  the campaign cannot be extended, or the command could not be carried out
"""

_WATCH = "Show a campaign's progress until it ends: trials, current step, time left."

_WATCH_MORE = """\
On a terminal, one line for each running trial follows the campaign's line, with the TPS of its last
second if you may reach its pod (the right to get pods/proxy).

exit codes:
  0  the campaign completed
  1  it failed
  2  it was refused, or the command could not be carried out
  3  --timeout passed first
"""

_REPORT = "Print a campaign's report as a table, open its page, or fetch one of its renderings."

_REPORT_MORE = """\
examples:
  kubectl encbench report demo
  kubectl encbench report demo --open
  kubectl encbench report demo --output md > demo.md
  kubectl encbench report demo --link --expires 48

The renderings come from the bucket, with the installation's credentials: you need the right to list
the Deployments of the release's namespace, to get the Secret of the analysts, and to forward a port
if the store is in the cluster. Those without that right can use what --link prints if the store is
outside, and else the file that someone with the right fetches.
"""

_OPEN = "Fetch a campaign's report as a page and open it in your browser, as report --open does."

_LOGS = """\
Print the last lines of all containers of a campaign's pods: databases and what prepares them, the
agents beside them, clients and recorders.
"""

_LOGS_MORE = """\
examples:
  kubectl encbench logs demo
  kubectl encbench logs demo --trial TRIAL --lines 200

kubectl get trials lists the names of trials.

Pods of trials that ended are gone; what their tools printed is in the bucket, and the report names
the trial's archive.
"""

_COMPARE = """\
Compare two reports: how much the overhead of each mode differs for the same instance, workload,
concurrency and mode, and what else differed and could be the cause.

Each is the name of an OverheadReport, as in name or namespace/name, or a file report.json.
"""

_COMPARE_MORE = """\
examples:
  kubectl encbench compare before after -n encbench
  kubectl encbench compare team-a/demo team-b/demo
  kubectl encbench compare old/report.json new/report.json --output md
  kubectl encbench compare last-week today --fail-above 3%

With --fail-above, reports that measured unlike things are refused: other specs under the same name,
or other machines. --allow-unlike compares them all the same.

exit codes:
  0  compared, whatever the result; with --fail-above, no overhead grew by more than that
  1  the reports have no condition in common; with --fail-above, an overhead grew by more
  2  a report cannot be read, or --fail-above was asked of unlike reports
  3  with --fail-above: whether an overhead grew by more cannot be told from these blocks
"""

_HISTORY = """\
Show overheads over many campaigns: for each condition and mode the estimate of every campaign with
its interval, and where a change-point test finds that the level changed.

The reports are those of a namespace, or files report.json. Campaigns with other specs under the
same names, or on other machines, are series of their own.
"""

_HISTORY_MORE = """\
examples:
  kubectl encbench history -n nightly
  kubectl encbench history -n nightly --output html > history.html
  kubectl encbench history -f reports/*.json --figure cpuPerTransaction
  kubectl encbench history -n nightly --fail-on-rise --since night-11

The test needs eight campaigns or more. It needs scipy, matplotlib and jinja2:
pipx inject encbench scipy matplotlib jinja2

exit codes:
  0  shown; with --fail-on-rise, no condition's newest series rose at its newest change of level
  1  with --fail-on-rise: one did
  2  a report cannot be read, or the command could not be carried out
  3  with --fail-on-rise: no condition's newest series has enough campaigns for the test, or the
     namespace's newest campaign that is over has no report
"""

_VERIFY = """\
Check that nothing behind a report was lost or altered, and that its records give its figures.

Every object that the index leads to is read and compared with its digest: records of trials, their
raw files, full proofs, and the same of campaigns that a follow-up extends. Then the report is made
again from the records and compared with report.json, and its tables with the CSV files and
report.md. A record of a trial that the index does not name is a finding too.

REPORT is the name of an OverheadReport, as in name or namespace/name, or a copy of the campaign's
folder in the bucket; copies of the campaigns that it extends lie beside it. A name without a slash
is a folder only where it has report/index.json and no flag names a cluster: ./name always is one.
"""

_VERIFY_MORE = """\
examples:
  kubectl encbench verify demo -n encbench
  kubectl encbench verify bench/demo-1a2b3c4d

Of a report that another version of encbench wrote, figures, verdicts and names are compared, and
words and tables are not. Only the OverheadReport has the digest of report.html, so a copy of a
folder is checked without that page. It needs scipy: pipx inject encbench scipy

exit codes:
  0  nothing is lost or altered, and the records give the report
  1  an object is lost, altered, not named by the index, or differs from what the records give
  2  the report, or a record of another version, cannot be read
"""


_OF_OBJECTS = (
    "namespace of the campaign, or of manifests without one; by default the kubeconfig's, but "
    "with -f or -k and without --live the one named default"
)


class _CommandParser(argparse.ArgumentParser):
    """Refuses an unknown flag itself, so that the usage shown is the command's own."""

    def parse_known_args(  # type: ignore[override]  # only called with a fresh namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """The flags, and no unknown ones; ends the process if there are any."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="kubectl encbench",
        description="Measure what database encryption costs: plan and watch campaigns, read and "
        "compare their reports, and check published ones.",
    )
    top.add_argument("--version", action="version", version=f"encbench {__version__}")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="command", parser_class=_CommandParser
    )

    add = partial(commands.add_parser, formatter_class=argparse.RawDescriptionHelpFormatter)
    short = "show what a campaign needs and what would be refused, before anything runs"
    _plan(add("plan", help=short, description=_PLAN, epilog=_PLAN_MORE))
    short = "list the images that a campaign needs, for mirroring"
    _images(add("images", help=short, description=_IMAGES, epilog=_IMAGES_MORE))
    short = "measure more blocks of a complete campaign, and pool the two"
    _extend(add("extend", help=short, description=_EXTEND, epilog=_EXTEND_MORE))
    short = "show a campaign's progress until it ends"
    _watch(add("watch", help=short, description=_WATCH, epilog=_WATCH_MORE))
    short = "print a campaign's report, open its page, or fetch it"
    _report(add("report", help=short, description=_REPORT, epilog=_REPORT_MORE))
    opened = add("open", help="open a campaign's report in the browser", description=_OPEN)
    _campaign(opened)
    _release(opened)
    opened.set_defaults(command="report", open=True, link=False, output="html", file=None)
    short = "print what a campaign's containers said last"
    _logs(add("logs", help=short, description=_LOGS, epilog=_LOGS_MORE))
    short = "compare two reports, with possible causes of each difference"
    _compare(add("compare", help=short, description=_COMPARE, epilog=_COMPARE_MORE))
    short = "show overheads over many campaigns, and where a level changed"
    _history(add("history", help=short, description=_HISTORY, epilog=_HISTORY_MORE))
    short = "check a report's objects by their digests, and make it again from its records"
    _verify(add("verify", help=short, description=_VERIFY, epilog=_VERIFY_MORE))
    short = "recompute published tables: what follows, what slips, what contradicts"
    _audit(add("audit", help=short, description=_AUDIT, epilog=_AUDIT_MORE))
    return top


def _plan(command: argparse.ArgumentParser) -> None:
    _manifests(command)
    _release(command)
    _cluster(command, _OF_OBJECTS)
    _output(command, "text is for people, json for programs", "json")


def _images(command: argparse.ArgumentParser) -> None:
    _manifests(command)
    _cluster(command, _OF_OBJECTS)
    _release(command)
    _output(command, "text is for people; name is one image a line", "name", "json")


def _manifests(command: argparse.ArgumentParser) -> None:
    """A campaign in the cluster, or manifests."""
    add = command.add_argument
    add("campaign", nargs="?", help="name of a campaign in the cluster; or use -f or -k")
    words = "manifests in YAML or JSON, a folder of them, or - for standard input; repeatable"
    add("-f", "--filename", action="append", default=[], metavar="FILE", help=words)
    add("-k", "--kustomize", metavar="DIR", help="folder to build with kubectl kustomize")
    words = "search the cluster for what the manifests of -f or -k only name"
    add("--live", action="store_true", help=words)


def _extend(command: argparse.ArgumentParser) -> None:
    command.add_argument("campaign", help="name of the campaign; it must be complete")
    words = "valid blocks to measure under each condition, fixed once and for all"
    command.add_argument("--blocks", type=int, required=True, metavar="N", help=words)
    words = "print the follow-up's manifest, and make nothing"
    command.add_argument("--dry-run", action="store_true", help=words)
    _cluster(command)


def _watch(command: argparse.ArgumentParser) -> None:
    _campaign(command)
    late = "give up after this time with exit code 3"
    command.add_argument("--timeout", type=float, metavar="SECONDS", help=late)


def _report(command: argparse.ArgumentParser) -> None:
    _campaign(command)
    _release(command)
    words = "text prints the table; the others are fetched from the bucket"
    _output(command, words, "html", "md", "csv", "json")
    _file(command)
    words = "fetch the page and open it in your browser"
    command.add_argument("--open", action="store_true", help=words)
    words = "print a URL of the page, or of what --output names, which anyone can fetch"
    command.add_argument("--link", action="store_true", help=words)
    words = "the URL's life; a day by default, a week at most"
    command.add_argument(
        "--expires", type=int, choices=range(1, 169), default=24, metavar="HOURS", help=words
    )


def _logs(command: argparse.ArgumentParser) -> None:
    _campaign(command)
    command.add_argument("--trial", metavar="NAME", help="only the pods of this trial")
    words = "lines of each container; 20 by default"
    command.add_argument("--lines", type=int, default=20, metavar="N", help=words)


def _campaign(command: argparse.ArgumentParser) -> None:
    command.add_argument("campaign", help="name of the campaign")
    _cluster(command)


def _compare(command: argparse.ArgumentParser) -> None:
    command.add_argument("first", metavar="A", help="the report to compare from")
    command.add_argument("second", metavar="B", help="the report to compare to")
    _cluster(command, "namespace of names without one; the kubeconfig's by default")
    _release(command)
    _output(command, "text is for a terminal", "md", "json")
    _file(command)
    words = "end with 1 if an overhead grew by more, in percentage points"
    command.add_argument("--fail-above", type=percentage, metavar="PERCENT", help=words)
    words = "compare with --fail-above even if specs or machines differ"
    command.add_argument("--allow-unlike", action="store_true", help=words)


def _history(command: argparse.ArgumentParser) -> None:
    words = "names of OverheadReports; all of the namespace by default"
    command.add_argument("reports", nargs="*", metavar="REPORT", help=words)
    words = "files report.json, in place of a cluster; - for standard input"
    add = command.add_argument
    add("-f", "--filename", action="extend", nargs="+", default=[], metavar="FILE", help=words)
    _cluster(command, "namespace of the reports; the kubeconfig's by default")
    _release(command)
    _output(command, "text is for a terminal", "html", "json")
    words = "the figure to follow; by default what each verdict rests on"
    add("--figure", choices=FIGURES, metavar="FIGURE", help=f"{words}: {', '.join(FIGURES)}")
    words = "end with 1 if the newest change of a level made an overhead larger"
    add("--fail-on-rise", action="store_true", help=words)
    words = "leave out what started before this campaign, as after a rise that is accepted"
    add("--since", metavar="CAMPAIGN", help=words)
    words = "join campaigns even if specs or machines differ"
    add("--allow-unlike", action="store_true", help=words)


def _verify(command: argparse.ArgumentParser) -> None:
    words = "name of an OverheadReport, or a copy of a campaign's folder"
    command.add_argument("report", metavar="REPORT", help=words)
    _cluster(command, "namespace of a name without one; the kubeconfig's by default")
    _release(command)


def percentage(text: str) -> float:
    """`3%` or `3` as the fraction 0.03."""
    return float(text.removesuffix("%")) / 100


def _audit(command: argparse.ArgumentParser) -> None:
    words = "CSV with a header; - for standard input"
    command.add_argument("files", nargs="+", metavar="FILE", help=words)
    add = command.add_argument_group("columns of tables with an unknown header").add_argument
    add("--plain", metavar="COLUMN", help="figures without encryption")
    add("--encrypted", metavar="COLUMN", help="figures with encryption")
    words = "overheads as published; without it they are computed"
    add("--published", metavar="COLUMN", help=words)
    add(
        "--formula",
        choices=tuple(FORMULAS),
        help="how they were computed: loss 1 − encrypted/plain (the default), ratio "
        "plain/encrypted, increase encrypted/plain − 1, points encrypted − plain",
    )
    add(
        "--unit",
        choices=("percent", "number"),
        help="how they were printed: 13 is percent, 0.13 a number; percent by default for loss and "
        "increase",
    )
    words = "columns that identify a condition and join files"
    add("--key", action="append", default=[], metavar="COLUMN[,COLUMN]", help=words)
    words = "average response times of the plain and the encrypted figures, for Little's law"
    add("--response", action="append", default=[], metavar="COLUMN[,COLUMN]", help=words)
    words = "the plain figures are in rows of their own, where this column has this value"
    add("--baseline", metavar="COLUMN=VALUE", help=words)
    _output(command, "text is for a terminal", "md", "csv", "json")
    _file(command)


def _cluster(
    parser: argparse.ArgumentParser, words: str = "its namespace; the kubeconfig's by default"
) -> None:
    parser.add_argument("-n", "--namespace", help=words)
    parser.add_argument("--context", help="context of the kubeconfig; its current one by default")
    words = "kubeconfig file; kubectl's by default"
    parser.add_argument("--kubeconfig", metavar="FILE", help=words)


def _release(parser: argparse.ArgumentParser) -> None:
    """For commands that read the operator's Deployment."""
    words = "namespace of the chart's release, if you may not list all Deployments of the cluster"
    parser.add_argument("--release-namespace", metavar="NAMESPACE", help=words)


def _output(parser: argparse.ArgumentParser, words: str, *choices: str) -> None:
    parser.add_argument("-o", "--output", choices=("text", *choices), default="text", help=words)


def _file(parser: argparse.ArgumentParser) -> None:
    # `plan` has no --file, because its -f names manifests.
    parser.add_argument("-f", "--file", help="write to this file instead of standard output")
