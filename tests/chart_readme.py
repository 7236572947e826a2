"""The chart's README, from the comments in its values: `python -m tests.chart_readme [--check]`.

The table of values is a page of the docs' site as well, which mkdocs gets from here as a hook.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

CHART = Path(__file__).resolve().parents[1] / "charts" / "encbench"
README = CHART / "README.md"
PAGE = "reference/values.md"
HEAD = """\
# encbench

{description}
The chart installs the operator, its CRDs and, unless you bring your own, an object store for
results (MinIO) and a Prometheus with node-exporters.

```sh
helm install encbench charts/encbench --namespace encbench --create-namespace --wait \\
  --set global.imageRegistry=registry.example.com/mirror
helm test encbench --namespace encbench
```

Push encbench's images to that registry first: `docs/quickstart.md` says how. No public registry has
them, and `docker.io/encbench` is not the project's.

It needs Kubernetes {kubernetes} or later. `docs/install.md` has the steps for private registries,
external stores, upgrade and removal, `docs/operating.md` metrics and alerts, and
`docs/security.md` who may do what.

## Values

Generated from `values.yaml` by `python -m tests.chart_readme`; do not edit. Helm refuses values
that are not listed here, but for `enabled`, which nothing reads: it is for the `condition` of a
parent chart. A dot in a name leads into a mapping.
"""
PAGE_HEAD = """\
# Chart values

Helm refuses values that are not listed here, but for `enabled`, which nothing reads: it is for the
`condition` of a parent chart. A dot in a name leads into a mapping.
[Installing](../install.md) says which of them go together, and why.
"""
_KEY = re.compile(r"^( *)([A-Za-z][\w-]*):(?: +(.*))?$")


@dataclass(frozen=True)
class Value:
    """One value, or a mapping of them, which has no default of its own."""

    path: tuple[str, ...]
    text: str
    """Its comment."""
    default: str | None


def values(text: str) -> Iterator[Value]:
    """All values in the order of the file, with the mappings that have a comment."""
    known, parents, comment = yaml.safe_load(text), list[str](), list[str]()
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            comment.append(stripped.removeprefix("#").strip())
            continue
        found = _KEY.match(line)
        if found is not None:
            depth = len(found[1]) // 2
            parents = [*parents[:depth], found[2]]
            at: Any = known
            for one in parents:
                at = at[one]
            said = " ".join(comment)
            if found[3] or not isinstance(at, dict):
                yield Value(tuple(parents), said, json.dumps(at, ensure_ascii=False))
            elif said:
                yield Value(tuple(parents), said, None)
        comment = []


def readme(chart: Path = CHART) -> str:
    """The text of the README."""
    about = yaml.safe_load((chart / "Chart.yaml").read_text(encoding="utf-8"))
    head = HEAD.format(
        description=about["description"],
        kubernetes=re.findall(r"\d+\.\d+", about["kubeVersion"])[0],
    )
    return f"{head}\n{table(chart)}\n"


def table(chart: Path = CHART) -> str:
    """Every value with its default and its comment."""
    rows = ["| value | default | what it is |", "|---|---|---|"]
    for value in values((chart / "values.yaml").read_text(encoding="utf-8")):
        default = "" if value.default is None else f"`{value.default}`"
        cells = (f"`{'.'.join(value.path)}`", default, value.text)
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """The site's files, and the page of values among them."""
    files.append(File.generated(config, PAGE, content=f"{PAGE_HEAD}\n{table()}\n"))
    return files


def main() -> int:
    """Write it, or with --check compare; the exit status is 1 on drift."""
    # mkdocs loads this file as a hook, without the product.
    from encbench.api import pages

    return pages.main("tests.chart_readme", __doc__, {README: readme()})


if __name__ == "__main__":
    sys.exit(main())
