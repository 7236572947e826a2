"""`kubectl encbench audit`: published tables, recomputed."""

import argparse
from pathlib import Path

from encbench.audit import render
from encbench.audit.audit import audit as make
from encbench.audit.naming import Naming
from encbench.audit.tables import BadInput, read
from encbench.cli import output
from encbench.cli.output import CommandError


def audit(args: argparse.Namespace) -> int:
    """Print which overheads follow; exit code 0 if all do, 1 if there are findings.

    CommandError if files or columns cannot be understood.
    """
    try:
        tables = [read(name, output.read(file)) for file, name in _names(args.files).items()]
        found = make(tables, naming(args))
    except BadInput as error:
        raise CommandError(str(error)) from error
    output.write(render.RENDERINGS[args.output](found).encode(), args.file)
    return 1 if found.findings else 0


def naming(args: argparse.Namespace) -> Naming | None:
    """The columns that the flags name; None without any, CommandError where one is missing."""
    if args.plain is None and args.encrypted is None:
        for flag in ("published", "formula", "unit", "baseline", "key", "response"):
            if getattr(args, flag):
                raise CommandError(f"--{flag} needs named columns: add --plain and --encrypted")
        return None
    for flag in ("plain", "encrypted"):
        if getattr(args, flag) is None:
            raise CommandError(f"name the plain and the encrypted figures: add --{flag}")
    response = _names_of(args.response)
    if len(response) > 2:
        raise CommandError(
            "--response takes one column, or two for the plain and the encrypted figures, not "
            f"{len(response)}"
        )
    return Naming(
        plain=args.plain,
        encrypted=args.encrypted,
        published=args.published or "",
        formula=args.formula or "loss",
        percent=None if args.unit is None else args.unit == "percent",
        keys=_names_of(args.key),
        baseline=_baseline(args.baseline),
        response=response,
    )


def _names_of(options: list[str]) -> tuple[str, ...]:
    return tuple(name for part in options for name in part.split(",") if name)


def _baseline(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise CommandError(f"write --baseline as COLUMN=VALUE, such as mode=off, not {text}")
    return column, value


def _names(files: list[str]) -> dict[str, str]:
    """What to call each file: its name, with its folder if two have the same name."""
    short: dict[str, str] = {}
    for file in files:
        if file in short:
            raise CommandError(f"{file} is given twice: name each file once")
        short[file] = Path(file).name if file != "-" else "standard input"
    names = [*short.values()]
    return {file: name if names.count(name) == 1 else file for file, name in short.items()}
