"""Building container images with buildah into archives that containerd can import.

Each image has a folder ``images/<name>`` with its Containerfile. What goes into the build is
copied to a staging folder first, so that the cache key covers exactly what the build can see.
buildah keeps its storage in the cache and runs in a mount namespace of its own, one build at a
time.
"""

import json
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from . import base_image, cache, licences, maven_settings, pip_settings
from .architecture import folder, native
from .command import capture, run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import BASE_IMAGES, DEBIAN_SUITE, IMAGE_TAGS, image

_BUILD_TIMEOUT: Final = 3600
_STORAGE_LIMIT: Final = 4 << 30
LICENCE: Final = ("LICENSE", "NOTICE")
_OPERATOR_FILES: Final = ("pyproject.toml", "operator/**/*", "images/operator/**/*")
_IGNORED: Final = frozenset(
    {"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", "results", "target"}
)
_BUILT: Final = (".bc", ".egg-info", ".o", ".so")
"""Left in the checkout by builds. git ignores it, and make would take it for its own."""


@dataclass(frozen=True)
class Recipe:
    """How an image is made.

    ``part`` names the compiled part whose binary of the image's own name goes into the context, or
    those that ``binaries`` names, with the licences of what it is compiled from;
    ``from_repo`` takes the repository's root as context instead of the image's folder. ``layered``
    keeps the layers between builds, because such an image is rebuilt at every change of ours.
    ``settings`` are the buildah arguments that mount what a program that fetches packages needs.
    ``arguments`` are those of the Containerfile. ``ours`` says that a part is encbench's own,
    so that its licence is in the context too.
    """

    part: str | None = None
    binaries: tuple[str, ...] = ()
    from_repo: bool = False
    layered: bool = False
    settings: Callable[[Layout, Path], list[str]] | None = None
    arguments: tuple[str, ...] = ()
    ours: bool = False


# In the order in which they are built: what a node needs first, what waits for compilers last.
RECIPES: Final = {
    "pause": Recipe(part="pause", ours=True),
    "coredns": Recipe(part="clients"),
    "local-path-provisioner": Recipe(part="storage"),
    "sysbench": Recipe(),
    "mariadb": Recipe(),
    "mysql": Recipe(),
    "postgresql": Recipe(ours=True),
    "node-exporter": Recipe(),
    "operator": Recipe(from_repo=True, layered=True, settings=pip_settings.volumes, ours=True),
    "tpcc": Recipe(layered=True, settings=maven_settings.volumes, ours=True),
    "gocryptfs": Recipe(part="volumes", binaries=("gocryptfs", "passthrough"), ours=True),
    "confidential-proxy": Recipe(
        part="confidential-proxy", arguments=("PROGRAM=compiled",), ours=True
    ),
    "turnstile": Recipe(part="turnstile", arguments=("PROGRAM=compiled",), ours=True),
    "prometheus": Recipe(part="prometheus"),
    "minio": Recipe(part="minio", ours=True),
}
CORE_IMAGES: Final = ("pause", "coredns", "local-path-provisioner")
CHART_IMAGES: Final = ("operator", "prometheus", "minio", "node-exporter")
"""What the chart's own pods need."""
SETS: Final = {"demo": (*CHART_IMAGES, "sysbench", "mariadb", "turnstile", "confidential-proxy")}
"""Images that are asked for by one name. To build all instead of the demo's takes minutes more."""


def buildable(layout: Layout) -> list[str]:
    """The images whose Containerfile exists, in build order."""
    return [name for name in RECIPES if _containerfile(layout, name).exists()]


def ensure(
    layout: Layout,
    console: Console,
    name: str,
    binaries: Path | None,
    *,
    pull: bool,
    architecture: str = native(),
    given: Mapping[str, Path] = MappingProxyType({}),
) -> Path:
    """The archive of an image, built now unless the cache has it.

    ``binaries`` is the directory of the recipe's compiled part. With ``pull`` the base image comes
    from a registry, without it from mmdebstrap. For another ``architecture`` than this machine's,
    this machine runs such programs, unless the Containerfile runs none. ``given`` are files of the
    context besides the image's own, or in their place: name in the context → file.
    """
    sources = _sources(layout, name) | dict(given)
    if binaries is not None:
        sources |= {one: binaries / one for one in RECIPES[name].binaries or (name,)}
    if part := RECIPES[name].part:
        sources[licences.NAME] = licences.ensure(layout, console, part)
    # Settings say where packages come from; what is fetched is pinned in the context.
    key = cache.content_key(
        image(name),
        *(["pulled"] if pull else map(base_image.key, _suites(layout, name))),
        *(part for target, file in sorted(sources.items()) for part in (target, _digest(file))),
        *RECIPES[name].arguments,
    )

    def build(archive: Path) -> None:
        what = f"image {name}:{IMAGE_TAGS[name]}"
        with console.step(what, f"building for {architecture}"):
            context = archive.with_name("context")
            for path, file in sources.items():
                copy = context / path
                copy.parent.mkdir(parents=True, exist_ok=True)
                # All files of a layer have one time, by which a release knows them as built.
                shutil.copy(file, copy)
            target = _Target(layout, architecture)
            _build(target, console, name, context, archive, pull=pull)

    return cache.entry(layout, folder("images", architecture), name, key, build)


def files(
    layout: Layout, console: Console, name: str, context: Path, made: Path, *, pull: bool
) -> None:
    """Put what a context's Containerfile leaves in its last stage into the folder ``made``."""
    target = _Target(layout, native())
    if not pull:
        _seed_base(target, console, DEBIAN_SUITE)
    run_logged(
        [
            *target.bud,
            f"--pull={'always' if pull else 'never'}",
            *("--layers=true", "--output", f"type=local,dest={made}", str(context)),
        ],
        layout.build_logs / f"files-{name}.log",
        timeout=_BUILD_TIMEOUT,
    )


def image_id(archive: Path) -> str:
    """The image's identifier, the hex digest of its configuration, as the archive's index says."""
    with tarfile.open(archive) as tar:
        manifest = tar.extractfile("manifest.json")
        if manifest is None:
            raise ClusterError(f"{archive} is not an image archive")
        return str(json.load(manifest)[0]["Config"]).removesuffix(".json")


def prepare(layout: Layout, architecture: str = native()) -> None:
    """Clear what a killed build left in buildah's storage. Call only while holding the lock."""
    target = _Target(layout, architecture)
    cache.remove(target.run_root)
    target.run_root.mkdir(parents=True)
    target.settings.write_text(f'[network]\nnetwork_config_dir = "{target.run_root}/cni"\n')
    if target.storage.exists() and shutil.which("buildah"):
        try:
            capture([*target.buildah, "rm", "--all"], contained=True)
        except ClusterError:
            cache.remove(target.storage)


def _containerfile(layout: Layout, name: str) -> Path:
    return layout.repo / "images" / name / "Containerfile"


def _suites(layout: Layout, name: str) -> list[str]:
    """The suites whose base image a Containerfile names; the usual one where it names none."""
    text = _containerfile(layout, name).read_text()
    return [suite for suite, base in BASE_IMAGES.items() if base in text] or [DEBIAN_SUITE]


def _sources(layout: Layout, name: str) -> dict[str, Path]:
    """The files of the build context: name in the context → file."""
    root, patterns = layout.repo / "images" / name, ["**/*"]
    if RECIPES[name].from_repo:
        root, patterns = layout.repo, list(_OPERATOR_FILES)
    found = {
        str(file.relative_to(root)): file
        for pattern in patterns
        for file in root.glob(pattern)
        if file.is_file() and not _ignored(file.relative_to(root))
    }
    licence = LICENCE if RECIPES[name].ours else ()
    return found | {file: layout.repo / file for file in licence}


def _ignored(relative: Path) -> bool:
    return any(part in _IGNORED or part.endswith(_BUILT) for part in relative.parts)


def _digest(file: Path) -> str:
    return cache.files_key(file.parent, [file])


@dataclass(frozen=True)
class _Target:
    """Where buildah works, and what for.

    Each architecture has a storage of its own, because the base images of all have one name.
    """

    layout: Layout
    architecture: str

    @property
    def storage(self) -> Path:
        return self.layout.cache / folder("buildah", self.architecture)

    @property
    def run_root(self) -> Path:
        return self.layout.cache / folder("buildah-run", self.architecture)

    @property
    def settings(self) -> Path:
        """Settings that keep buildah from making ``/etc/cni`` for a network it does not use."""
        return self.run_root / "containers.conf"

    @property
    def buildah(self) -> list[str]:
        program = ["env", f"CONTAINERS_CONF={self.settings}", "buildah"]
        return [*program, "--root", str(self.storage), "--runroot", str(self.run_root)]

    @property
    def bud(self) -> list[str]:
        foreign = [] if self.architecture == native() else ["--arch", self.architecture]
        return [*self.buildah, "bud", "--isolation", "chroot", *foreign]


def _build(
    target: _Target, console: Console, name: str, context: Path, archive: Path, *, pull: bool
) -> None:
    layout = target.layout
    log = layout.build_logs / f"{folder('image', target.architecture)}-{name}.log"
    recipe = RECIPES[name]
    containerfile = context / (f"images/{name}" if recipe.from_repo else "") / "Containerfile"
    _bound_storage(target)
    for suite in [] if pull else _suites(layout, name):
        _seed_base(target, console, suite)
    volumes = recipe.settings(layout, archive.parent) if recipe.settings else []
    arguments = [word for one in recipe.arguments for word in ("--build-arg", one)]
    run_logged(
        [
            *target.bud,
            f"--pull={'always' if pull else 'never'}",
            f"--layers={'true' if recipe.layered else 'false'}",
            *volumes,
            *arguments,
            *("--tag", image(name), "--file", str(containerfile), str(context)),
        ],
        log,
        timeout=_BUILD_TIMEOUT,
    )
    destination = f"docker-archive:{archive}:{image(name)}"
    run_logged([*target.buildah, "push", image(name), destination], log, timeout=600)
    if not recipe.layered:
        run_logged([*target.buildah, "rmi", image(name)], log, timeout=120)


def _bound_storage(target: _Target) -> None:
    """Start over when kept layers have piled up; everything in the storage can be made again."""
    if cache.size(target.storage) > _STORAGE_LIMIT:
        cache.remove(target.storage)


def _seed_base(target: _Target, console: Console, suite: str) -> None:
    """Have a suite's base image in buildah's storage under the name that registries give it.

    A build that pulled, or another version of ours, may have taken that name since.
    """
    ours = f"localhost/encbench-base:{base_image.key(suite)}"
    try:
        capture([*target.buildah, "inspect", "--type", "image", ours], contained=True)
    except ClusterError:
        context = base_image.context(target.layout, console, suite, target.architecture)
        run_logged(
            [*target.bud, "--layers=false", "--tag", ours, str(context)],
            target.layout.build_logs / "image-base.log",
            timeout=600,
        )
    capture([*target.buildah, "tag", ours, BASE_IMAGES[suite]], contained=True)
