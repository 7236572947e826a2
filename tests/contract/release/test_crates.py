"""The crates of the parts in Rust, and the compiler that a release for another machine has.

Debian's cross compiler is older than the one of this machine, and a crate that wants a newer one
shows only in `make release`.
"""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster import crates
from tests.release.source import REPO


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def compiled(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The packages that a build without tests compiles."""
    packages = {one["id"]: one for one in found["packages"]}
    nodes = {one["id"]: one for one in found["resolve"]["nodes"]}
    left, seen = [found["resolve"]["root"]], set[str]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        yield packages[name]
        left += [
            dependency["pkg"]
            for dependency in nodes[name]["deps"]
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
        ]


@pytest.mark.parametrize("crate", ["confidential-proxy", "turnstile"])
def test_no_crate_wants_a_newer_compiler_than_its_own_crate_says(crate: str) -> None:
    command = [crates.cargo(), "metadata", "--format-version=1", "--locked"]
    command += ["--filter-platform=aarch64-unknown-linux-gnu"]
    done = subprocess.run(
        command, cwd=REPO / "images" / crate, check=True, capture_output=True, text=True
    )
    own, *others = compiled(json.loads(done.stdout))
    newer = {
        f"{one['name']} {one['version']}": one["rust_version"]
        for one in others
        if one["rust_version"] and version(one["rust_version"]) > version(own["rust_version"])
    }
    assert others and not newer
