"""Debian's source packages that bills of material name: ``python -m tests.support.sbom_sources``.

Each line has a name and a version, as `debsnap` takes them.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from packageurl import PackageURL


def sources(purls: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and version of the source of each Debian package that has a version."""
    for purl in map(PackageURL.from_string, purls):
        if purl.type == "deb" and purl.version:
            assert isinstance(purl.qualifiers, dict)
            name, _, version = purl.qualifiers.get("upstream", purl.name).partition("@")
            yield name, version or purl.version


def main(folder: Path) -> None:
    """Those of all lists in the folder, each once."""
    lists = [json.loads(file.read_text()) for file in sorted(folder.glob("*.cdx.json"))]
    purls = [one["purl"] for each in lists for one in each["components"] if "purl" in one]
    for name, version in sorted(set(sources(purls))):
        print(name, version)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
