"""Compares what two revisions of this repository produce from the same inputs, file by file.

    python -m tests.revisions BEFORE [AFTER] [--keep FOLDER]
    make compare BEFORE=main

AFTER is the working tree when it is left out. Each revision runs the same campaigns through its own
operator, with the fakes of its own unit tests, and renders the same synthetic studies (`dump`). The
comparison covers every manifest and status that the operator wrote, every object in the bucket,
every rendering of a report, and the output of the command line. `explained.yaml` lists the
differences that are wanted in this comparison, each with its reason.

The exit code is 0 when nothing else differs, 1 when something does, and 2 when a revision could not
be run. In that case a module may have moved: add its new place to `surface`.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from tests.revisions.differences import Explanation, alike, compare, read, split

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LONGEST = 400
"""Letters of each side that are printed of a difference."""
SHOWN = 60
"""Kinds of differences that are printed."""
EXAMPLES = 3
"""Distinct differences that are printed of each kind."""


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    args = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="encbench-revisions-") as scratch:
        work = Path(scratch)
        folder = work if args.keep is None else args.keep.resolve()
        sides = [(args.before, folder / "before"), (args.after, folder / "after")]
        trees = [_tree(revision, work / f"tree-{place.name}") for revision, place in sides]
        runs = [_start(tree, place) for tree, (_, place) in zip(trees, sides, strict=True)]
        outputs = [run.communicate()[0] for run in runs]
        for (revision, _), run, text in zip(sides, runs, outputs, strict=True):
            if run.returncode:
                print(f"{revision or 'the working tree'} could not be run:\n{text}")
        if not all((place / "commands").is_dir() for _, place in sides):
            return 2
        code = _report(sides[0][1], sides[1][1], read(HERE / "explained.yaml"))
        return 2 if any(run.returncode for run in runs) else code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.revisions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("before", metavar="BEFORE")
    parser.add_argument("after", metavar="AFTER", nargs="?", default="")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="write the files of both sides there"
    )
    return parser


def _tree(revision: str, place: Path) -> Path:
    """Unpack a revision; the working tree is used in place."""
    if not revision:
        return REPOSITORY
    command = ["git", "archive", "--format=tar", revision, "operator", "tests"]
    packed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(place, filter="data")
    return place


def _start(tree: Path, folder: Path) -> "subprocess.Popen[str]":
    """Start a process that dumps that tree into a folder, which must not exist yet.

    It runs with what the tree's own lock files name, because revisions need other libraries.
    """
    folder.mkdir(parents=True)
    made = subprocess.run(
        [tree / "tests" / "venv.sh"], check=True, stdout=subprocess.PIPE, text=True
    )
    python = Path(made.stdout.strip(), "bin", "python")
    path = os.pathsep.join(map(str, (tree / "operator", tree)))
    return subprocess.Popen(
        [python, "-P", HERE / "start.py", folder],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _report(before: Path, after: Path, explanations: Sequence[Explanation]) -> int:
    """Print what was compared and what differs; the exit code."""
    for folder in (before, after):
        print(f"{folder.name:>6}: {_extent(folder)}")
    unexplained, counts = split(compare(before, after), explanations)
    for why, count in counts.items():
        print(f"explained, {count} ×: {why.reason}" if count else f"no longer needed: {why}")
    if not unexplained:
        print("nothing else differs" if any(counts.values()) else "nothing differs")
        return 0
    groups = alike(unexplained)
    for found in groups[:SHOWN]:
        print(f"\n{len(found)} in {len({one.file for one in found})} files, such as")
        distinct = {(one.before, one.after): one for one in found}
        for one in list(distinct.values())[:EXAMPLES]:
            print(f"  {one.file}: {one.place}\n  - {_cut(one.before)}\n  + {_cut(one.after)}")
    left = f", {len(groups) - SHOWN} not shown" if len(groups) > SHOWN else ""
    files = len({one.file for one in unexplained})
    print(f"\n{len(unexplained)} differences in {files} files, of {len(groups)} kinds{left}")
    return 1


def _extent(folder: Path) -> str:
    """How much there is to compare, in words."""
    kinds, size = Counter[str](), 0
    for file in folder.rglob("*"):
        if file.is_file():
            kinds[_kind(file.relative_to(folder).parts)] += 1
            size += file.stat().st_size
    said = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    return f"{said}; {sum(kinds.values()):,} files, {size:,} bytes"


def _kind(parts: Sequence[str]) -> str:
    if parts[0] != "worlds":
        return {"reports": "renderings", "commands": "outputs of commands"}[parts[0]]
    if parts[2] == "bucket":
        return "objects in the bucket"
    if parts[2] != "objects":
        return "other files"
    if parts[-1] == "status.json":
        return "statuses"
    return "manifests" if parts[-1].endswith(("-create.json", "-apply.json")) else "other writes"


def _cut(text: str) -> str:
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} letters)"
    return shown.replace("\n", "\n    ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
