"""The command line: words and flags of every command, and nothing of what they do.

Exit codes are one table for all commands: 0 when all is well, 1 when what was asked about is not
(a campaign that failed, a plan that would be refused, tables that contradict each other), 2 when
the command itself could not be carried out; `watch` has 2 also for a refused campaign and 3 for a
time that ran out.
"""

import argparse

from encbench import __version__
from encbench.audit.formulas import FORMULAS

_ENDINGS = "exit codes:\n"

_AUDIT = """\
Recompute published overheads from the figures that they were published with.

Tables of known studies are recognised by their header, encbench's own report.csv among them; any
other CSV is read by naming its columns. Where the plain figures stand in another of the files they
are joined by the key columns that both have (instance, workload, table, concurrency, threads or
terminals, unless --key names others).

An overhead follows when some numbers that round to the printed figures give one that rounds to
what was published; it is a rounding slip when it is off by less than one step of its last digit;
anything else is a contradiction. docs/audit.md has the rules in full.
"""

_AUDIT_MORE = f"""\
examples:
  kubectl encbench audit published/*.csv
  kubectl encbench audit mine.csv --plain tps_off --encrypted tps_on --published loss_percent
  kubectl encbench audit tps.csv claims.csv --plain tps --encrypted tps_tde --published ratio \\
      --formula ratio --key instance,threads
  kubectl encbench audit long.csv --plain tps --encrypted tps --published loss --baseline mode=off

{_ENDINGS}  0  every published overhead follows, and no table contradicts another
  1  something does not follow, contradicts another table or could not be checked
  2  the files or the columns cannot be understood
"""

_PLAN = """\
Show what a campaign would do before anything runs: cells, arms, trials, the order of each block,
the machine time that it would take, and everything that would be refused.

The checks and the plan are the operator's own. With -f or -k no cluster is needed; what the
manifests lack is then missing, unless --live looks for it in the cluster.
"""

_PLAN_MORE = f"""\
examples:
  kubectl encbench plan -k campaigns/demo
  kubectl encbench plan -f campaign.yaml -f parts.yaml
  kubectl encbench plan demo -n encbench

{_ENDINGS}  0  every campaign would be accepted
  1  something would be refused
  2  the manifests cannot be read
"""

_WATCH_MORE = f"""\
On a terminal the campaign's line is followed by one line for each running trial, with its TPS of
the last second where the cluster lets you reach its pod (the right to get pods/proxy).

{_ENDINGS}  0  the campaign completed
  1  it failed
  2  it was refused, or the command could not be carried out
  3  --timeout passed first
"""

_REPORT_MORE = """\
examples:
  kubectl encbench report demo
  kubectl encbench report demo --open
  kubectl encbench report demo --output md > demo.md

The renderings come from the bucket, with the credentials that the operator has: you need the right
to read its Deployment and Secret, and to forward a port where the store is in the cluster.
"""

_COMPARE = """\
Compare two reports: how much the overhead of each mode differs where instance, workload,
concurrency and mode are the same, and what else was different and could be why.

Each is the name of an OverheadReport, also as namespace/name, or a file report.json.
"""

_COMPARE_MORE = f"""\
examples:
  kubectl encbench compare before after -n encbench
  kubectl encbench compare team-a/demo team-b/demo
  kubectl encbench compare old/report.json new/report.json --output md

{_ENDINGS}  0  compared; whatever came out
  1  the reports have no condition in common
  2  a report cannot be read
"""

Commands = argparse._SubParsersAction


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="kubectl encbench",
        description="Measure what turning database encryption on costs: plan campaigns, watch "
        "them, read and compare their reports, and check published ones.",
    )
    top.add_argument("--version", action="version", version=f"encbench {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    _plan(commands)
    _watch(commands)
    _report(commands)
    _compare(commands)
    _audit(commands)
    return top


def _command(
    commands: "Commands[argparse.ArgumentParser]", name: str, short: str, long: str, more: str
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=short,
        description=long,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _plan(commands: "Commands[argparse.ArgumentParser]") -> None:
    short = "show what a campaign needs and what would be refused, before anything runs"
    planning = _command(commands, "plan", short, _PLAN, _PLAN_MORE)
    planning.add_argument(
        "campaign", nargs="?", help="name of a campaign in the cluster; or use -f or -k"
    )
    planning.add_argument(
        "-f",
        "--filename",
        action="append",
        default=[],
        metavar="FILE",
        help="manifests in YAML or JSON, a folder of them, or - for standard input; repeatable",
    )
    planning.add_argument(
        "-k", "--kustomize", metavar="DIR", help="folder to build with kubectl kustomize"
    )
    planning.add_argument(
        "--live",
        action="store_true",
        help="look in the cluster for what the manifests of -f or -k only name",
    )
    _namespace(planning, "namespace of what names none; the kubeconfig's, else default")
    _output(planning, ("text", "json"), "text is for people, json for programs")


def _watch(commands: "Commands[argparse.ArgumentParser]") -> None:
    short = "show a campaign's progress until it ends"
    long = "Show a campaign's progress until it ends: trials, what is being done, time left."
    watching = _command(commands, "watch", short, long, _WATCH_MORE)
    watching.add_argument("campaign", help="name of the campaign")
    _namespace(watching, "its namespace; the kubeconfig's by default")
    watching.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="give up after this time with exit code 3"
    )


def _report(commands: "Commands[argparse.ArgumentParser]") -> None:
    short = "print a campaign's report, open its page, or fetch it"
    long = "Print a campaign's report as a table, open its page, or fetch one of its renderings."
    reading = _command(commands, "report", short, long, _REPORT_MORE)
    reading.add_argument("campaign", help="name of the campaign")
    _namespace(reading, "its namespace; the kubeconfig's by default")
    _output(
        reading,
        ("text", "html", "md", "csv", "json"),
        "text prints the table; the others are fetched from the bucket",
    )
    _file(reading)
    reading.add_argument(
        "--open", action="store_true", help="fetch the page and open it in your browser"
    )


def _compare(commands: "Commands[argparse.ArgumentParser]") -> None:
    short = "compare two reports, with what could explain a difference"
    comparing = _command(commands, "compare", short, _COMPARE, _COMPARE_MORE)
    comparing.add_argument("first", metavar="A", help="the report to compare from")
    comparing.add_argument("second", metavar="B", help="the report to compare to")
    _namespace(comparing, "namespace of names without one; the kubeconfig's by default")
    _output(comparing, ("text", "md", "json"), "text is for a terminal")
    _file(comparing)


def _audit(commands: "Commands[argparse.ArgumentParser]") -> None:
    short = "recompute published tables: what follows, what slips, what contradicts"
    auditing = _command(commands, "audit", short, _AUDIT, _AUDIT_MORE)
    auditing.add_argument(
        "files", nargs="+", metavar="FILE", help="CSV with a header; - for standard input"
    )
    columns = auditing.add_argument_group("columns of tables of an unknown shape")
    columns.add_argument("--plain", metavar="COLUMN", help="figures without encryption")
    columns.add_argument("--encrypted", metavar="COLUMN", help="figures with encryption")
    columns.add_argument("--published", metavar="COLUMN", help="overheads as published")
    columns.add_argument(
        "--formula",
        choices=tuple(FORMULAS),
        help="how they were computed: loss 1 − encrypted/plain (the default), ratio "
        "plain/encrypted, increase encrypted/plain − 1, points encrypted − plain",
    )
    columns.add_argument(
        "--unit",
        choices=("percent", "number"),
        help="how they were printed: 13 is percent, 0.13 a number; percent by default for loss and "
        "increase",
    )
    columns.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN]",
        help="columns that identify a condition, for names and to join files by",
    )
    columns.add_argument(
        "--baseline",
        metavar="COLUMN=VALUE",
        help="the plain figures stand in rows of their own, in which this column has this value",
    )
    _output(auditing, ("text", "md", "csv", "json"), "text is for a terminal")
    _file(auditing)


def _namespace(parser: argparse.ArgumentParser, words: str) -> None:
    parser.add_argument("-n", "--namespace", help=words)


def _output(parser: argparse.ArgumentParser, choices: tuple[str, ...], words: str) -> None:
    parser.add_argument("-o", "--output", choices=choices, default="text", help=words)


def _file(parser: argparse.ArgumentParser) -> None:
    # `-f` is short for it only where there are no manifests to be named so.
    parser.add_argument("-f", "--file", help="write to this file instead of standard output")
