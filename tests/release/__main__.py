"""The command line: ``python -m tests.release VERSION``; see `make release`."""

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import cache, packages, preflight
from tests.cluster.architecture import ARCHITECTURES
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.cluster.versions import IMAGE_TAGS
from tests.support import sbom

from . import archive, chart, oci, plugin, source
from .build import OWN, Built, build
from .oci import About


def main() -> int:
    """Make the release; a failure is one sentence."""
    options = _parser().parse_args()
    console = Console()
    try:
        about = source.released(options.version)
        target = options.output or source.REPO / "build" / "release" / options.version
        if not options.replace:
            check_free(target, about)
        made = target.with_name(f".{target.name}")
        cache.remove(made)
        made.mkdir(parents=True)
        _write(made, about, options, console)
        cache.remove(target)
        made.rename(target)
    except ClusterError as error:
        console.say(f"failed: {error}")
        return 1
    print(target)
    return 0


def check_free(target: Path, about: About) -> None:
    """Raise ClusterError if another commit's release of the version is in the folder."""
    index = target / "index.json"
    found = json.loads(index.read_text()) if index.exists() else {}
    if found.get("version") == about.version and found["commit"] != about.commit:
        commit = found["commit"]
        raise ClusterError(
            f"{target} is of commit {commit[:12]}, and images of two commits would have one name: "
            "release the next version, or, if these were never pushed, write the folder anew with "
            "RELEASE_ARGS=--replace"
        )


def tag(image: str, version: str) -> str:
    """The tag that the chart has: the release's version, after that of another's program."""
    return version if image in OWN else f"{IMAGE_TAGS[image]}-{version}"


def _write(made: Path, about: About, options: argparse.Namespace, console: Console) -> None:
    layout = Layout.from_environment()
    preflight.check_builder()
    with cache.exclusive(layout, console):
        cache.drop_unfinished(layout)
        packages.ensure(layout, console)
        built = build(layout, console, options.architectures, pull=options.pull)
        images = write_images(made / "images", built, about, console)
        _sboms(made / "sbom", built, about)
    changelog = (source.REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    platforms = {one["reference"]: list(one["architectures"]) for one in images}
    with console.step("chart and plugin"):
        chart.write(made, source.changes(about.version, changelog), platforms, about)
        wheel = plugin.wheel(made, about)
        archives = plugin.krew(made, wheel, about)
        if options.url:
            url = f"{options.url.rstrip('/')}/{about.version}"
            plugin.write_manifest(made, archives, url, about)
    for name in ("CHANGELOG.md", "LICENSE", "NOTICE", "THIRD-PARTY.md"):
        shutil.copyfile(source.REPO / name, made / name)
    write_push(made, images)
    (made / "demo.yaml").write_text(demo(), encoding="utf-8")
    for gap in built.missing:
        console.say(f"missing: {gap['image']} for {gap['architecture']}: {gap['reason']}")
    index = {
        "version": about.version,
        "commit": about.commit,
        "time": about.time,
        "images": images,
        "missing": built.missing,
    }
    (made / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    _sums(made)


def write_images(
    folder: Path, built: Built, about: About, console: Console
) -> list[dict[str, Any]]:
    """Write the archives; what the index says of each."""
    folder.mkdir()
    said = []
    for name, archives in built.archives.items():
        if not archives:
            continue
        file = folder / f"{name}.tar"
        with console.step(f"archive {name}", ", ".join(archives)):
            written = oci.write(file, name, tag(name, about.version), archives, about)
        said.append(
            {
                "reference": f"encbench/{name}:{tag(name, about.version)}",
                "archive": f"{folder.name}/{file.name}",
                "digest": written.digest,
                "architectures": dict(written.manifests),
            }
        )
    return said


def demo() -> str:
    """The demo's manifests in one file, as kustomize would give them."""
    folder = source.REPO / "campaigns" / "demo"
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    return "---\n".join(
        (folder / name).read_text(encoding="utf-8") for name in kustomization["resources"]
    )


def write_push(made: Path, images: Sequence[Mapping[str, Any]]) -> None:
    """The script that pushes the images, and the list that it reads."""
    shutil.copy(Path(__file__).with_name("push.sh"), made)
    lines = [f"{one['archive']} {one['reference']}\n" for one in images]
    (made / "images" / "list").write_text("".join(lines))


def _sboms(folder: Path, built: Built, about: About) -> None:
    folder.mkdir()
    when = datetime.fromtimestamp(about.epoch, UTC)
    for name, archives in built.archives.items():
        for architecture, built_archive in archives.items():
            text = sbom.document(name, built_archive, when, tag(name, about.version), architecture)
            (folder / f"{name}-{architecture}.cdx.json").write_text(text + "\n")
    text = sbom.plugin((*plugin.PURE, *plugin.COMPILED), when)
    (folder / "kubectl-encbench.cdx.json").write_text(text + "\n")


def _sums(folder: Path) -> None:
    """`sha256sum --check SHA256SUMS` checks every file."""
    sums: Mapping[str, str] = {
        str(file.relative_to(folder)): archive.digest(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    (folder / "SHA256SUMS").write_text("".join(lines))


def _architectures(text: str) -> tuple[str, ...]:
    chosen = tuple(text.split(","))
    if not set(chosen) <= set(ARCHITECTURES):
        raise argparse.ArgumentTypeError(f"choose from {','.join(ARCHITECTURES)}")
    return chosen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version", help="what the sources say, such as 1.2.0")
    parser.add_argument("--output", type=Path, help="default: build/release/VERSION")
    parser.add_argument(
        "--url", help="where the folders of releases will lie; without it, krew has no manifest"
    )
    parser.add_argument(
        "--architectures", type=_architectures, default=ARCHITECTURES, metavar="A,B"
    )
    parser.add_argument(
        "--replace", action="store_true", help="write the folder anew if it is of another commit"
    )
    parser.add_argument("--pull", action="store_true", help="pull the base image from its registry")
    return parser


if __name__ == "__main__":
    sys.exit(main())
