"""Building container images with buildah into archives that containerd can import.

Each image has a folder ``images/<name>`` with its Containerfile. What goes into the build is
copied to a staging folder first, so that the cache key covers exactly what the build can see.
buildah keeps its storage in the cache and runs in a mount namespace of its own, one build at a
time.
"""

import json
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import base_image, cache, maven_settings, pip_settings
from .command import capture, run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import BASE_IMAGES, DEBIAN_SUITE, IMAGE_TAGS, image

_BUILD_TIMEOUT: Final = 1800
_STORAGE_LIMIT: Final = 4 << 30
_OPERATOR_FILES: Final = (
    "pyproject.toml",
    "requirements*.txt",
    "operator/**/*",
    "images/operator/**/*",
)
_IGNORED: Final = frozenset(
    {"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", "target"}
)


@dataclass(frozen=True)
class Recipe:
    """How an image is made.

    ``part`` names the compiled part whose binary of the image's own name goes into the context, or
    those that ``binaries`` names;
    ``from_repo`` takes the repository's root as context instead of the image's folder. ``layered``
    keeps the layers between builds, because such an image is rebuilt at every change of ours.
    ``settings`` are the buildah arguments that mount what a program that fetches packages needs.
    ``arguments`` are those of the Containerfile.
    """

    part: str | None = None
    binaries: tuple[str, ...] = ()
    from_repo: bool = False
    layered: bool = False
    settings: Callable[[Layout, Path], list[str]] | None = None
    arguments: tuple[str, ...] = ()


# In the order in which they are built: what a node needs first, what waits for compilers last.
RECIPES: Final = {
    "pause": Recipe(part="pause"),
    "coredns": Recipe(part="clients"),
    "local-path-provisioner": Recipe(part="storage"),
    "sysbench": Recipe(),
    "mariadb": Recipe(),
    "mysql": Recipe(),
    "postgresql": Recipe(),
    "node-exporter": Recipe(),
    "operator": Recipe(from_repo=True, layered=True, settings=pip_settings.volumes),
    "tpcc": Recipe(layered=True, settings=maven_settings.volumes),
    "gocryptfs": Recipe(part="volumes", binaries=("gocryptfs", "passthrough")),
    "confidential-proxy": Recipe(part="confidential-proxy", arguments=("PROGRAM=compiled",)),
    "turnstile": Recipe(part="turnstile", arguments=("PROGRAM=compiled",)),
    "prometheus": Recipe(part="prometheus"),
    "minio": Recipe(part="minio"),
}
CORE_IMAGES: Final = ("pause", "coredns", "local-path-provisioner")


def buildable(layout: Layout) -> list[str]:
    """The images whose Containerfile exists, in build order."""
    return [name for name in RECIPES if _containerfile(layout, name).exists()]


def ensure(
    layout: Layout, console: Console, name: str, binaries: Path | None, *, pull: bool
) -> Path:
    """The archive of an image, built now unless the cache has it.

    ``binaries`` is the directory of the recipe's compiled part. With ``pull`` the base image comes
    from a registry, without it from debootstrap.
    """
    sources = _sources(layout, name)
    if binaries is not None:
        sources |= {one: binaries / one for one in RECIPES[name].binaries or (name,)}
    key = cache.content_key(
        image(name),
        *(["pulled"] if pull else map(base_image.key, _suites(layout, name))),
        *(part for target, file in sorted(sources.items()) for part in (target, _digest(file))),
    )

    def build(archive: Path) -> None:
        with console.step(f"image {name}:{IMAGE_TAGS[name]}", "building"):
            context = archive.with_name("context")
            for target, file in sources.items():
                copy = context / target
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, copy)
            _build(layout, console, name, context, archive, pull=pull)

    return cache.entry(layout, "images", name, key, build)


def image_id(archive: Path) -> str:
    """The image's identifier, the hex digest of its configuration, as the archive's index says."""
    with tarfile.open(archive) as tar:
        manifest = tar.extractfile("manifest.json")
        if manifest is None:
            raise ClusterError(f"{archive} is not an image archive")
        return str(json.load(manifest)[0]["Config"]).removesuffix(".json")


def prepare(layout: Layout) -> None:
    """Clear what a killed build left in buildah's storage. Call only while holding the lock."""
    cache.remove(_run_root(layout))
    _run_root(layout).mkdir(parents=True)
    _settings(layout).write_text(f'[network]\nnetwork_config_dir = "{_run_root(layout)}/cni"\n')
    if _storage(layout).exists() and shutil.which("buildah"):
        try:
            capture([*_buildah(layout), "rm", "--all"])
        except ClusterError:
            cache.remove(_storage(layout))


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
    return {
        str(file.relative_to(root)): file
        for pattern in patterns
        for file in root.glob(pattern)
        if file.is_file() and not _ignored(file.relative_to(root))
    }


def _ignored(relative: Path) -> bool:
    return any(part in _IGNORED or part.endswith(".egg-info") for part in relative.parts)


def _digest(file: Path) -> str:
    return cache.files_key(file.parent, [file])


def _build(
    layout: Layout, console: Console, name: str, context: Path, archive: Path, *, pull: bool
) -> None:
    log = layout.build_logs / f"image-{name}.log"
    recipe = RECIPES[name]
    containerfile = context / (f"images/{name}" if recipe.from_repo else "") / "Containerfile"
    _bound_storage(layout)
    for suite in [] if pull else _suites(layout, name):
        _seed_base(layout, console, suite)
    volumes = recipe.settings(layout, archive.parent) if recipe.settings else []
    arguments = [word for one in recipe.arguments for word in ("--build-arg", one)]
    run_logged(
        [
            *(*_buildah(layout), "bud", "--isolation", "chroot"),
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
    run_logged([*_buildah(layout), "push", image(name), destination], log, timeout=600)
    if not recipe.layered:
        run_logged([*_buildah(layout), "rmi", image(name)], log, timeout=120)


def _bound_storage(layout: Layout) -> None:
    """Start over when kept layers have piled up; everything in the storage can be made again."""
    if cache.size(_storage(layout)) > _STORAGE_LIMIT:
        cache.remove(_storage(layout))


def _seed_base(layout: Layout, console: Console, suite: str) -> None:
    """Have a suite's base image in buildah's storage under the name that registries give it."""
    ours = f"localhost/encbench-base:{base_image.key(suite)}"
    try:
        capture([*_buildah(layout), "inspect", "--type", "image", ours])
    except ClusterError:
        context = base_image.context(layout, console, suite)
        run_logged(
            [
                *(*_buildah(layout), "bud", "--isolation", "chroot", "--layers=false"),
                *("--tag", ours, "--tag", BASE_IMAGES[suite], str(context)),
            ],
            layout.build_logs / "image-base.log",
            timeout=600,
        )


def _storage(layout: Layout) -> Path:
    return layout.cache / "buildah"


def _run_root(layout: Layout) -> Path:
    return layout.cache / "buildah-run"


def _settings(layout: Layout) -> Path:
    """Settings that keep buildah from making ``/etc/cni`` for a network it does not use."""
    return _run_root(layout) / "containers.conf"


def _buildah(layout: Layout) -> list[str]:
    program = ["env", f"CONTAINERS_CONF={_settings(layout)}", "buildah"]
    return [*program, "--root", str(_storage(layout)), "--runroot", str(_run_root(layout))]
