"""Everything that is made before it can run: binaries and image archives, in three lanes.

Compilers keep every core busy except at their beginning, when they fetch, and at their end, when
they link. So there are two lanes of them, which share few packages, because what two compile at
once is compiled twice. Image builds mostly wait for the network and the disk: the third lane builds
each image as soon as its binary is there.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from . import binaries, images
from .command import end_contained
from .console import Console
from .layout import Layout


def make(
    layout: Layout,
    console: Console,
    parts: Iterable[str],
    names: Iterable[str],
    *,
    pull: bool,
    then: Callable[[str, Path], None] = lambda name, archive: None,
) -> tuple[dict[str, Path], dict[str, Path]]:
    """Binary directories by part and archives by image name, made where the cache lacks them.

    The third lane does `then` with each image's name and archive, so no compiler waits for it.
    """
    part_of = {name: images.RECIPES[name].part for name in names}
    wanted = [part for part in binaries.PARTS if part in {*parts, *part_of.values()}]
    built: dict[str, Future[Path]] = {}

    def compile_part(part: str) -> Path:
        made = binaries.ensure(layout, console, part)
        build(part, made)
        return made

    def build(part: str | None, made: Path | None) -> None:
        for name, own in part_of.items():
            if own == part:
                built[name] = builders.submit(build_image, name, made)

    def build_image(name: str, made: Path | None) -> Path:
        archive = images.ensure(layout, console, name, made, pull=pull)
        then(name, archive)
        return archive

    with (
        ThreadPoolExecutor(1) as kubernetes,
        ThreadPoolExecutor(1) as others,
        ThreadPoolExecutor(1) as builders,
    ):
        build(None, None)
        compiled = {
            part: (kubernetes if part in binaries.OF_KUBERNETES else others).submit(
                compile_part, part
            )
            for part in wanted
        }
        try:
            _all_or_first_failure(compiled, built)
        except BaseException:
            for lane in (kubernetes, others, builders):
                lane.shutdown(wait=False, cancel_futures=True)
            end_contained()
            raise
        return (
            {part: future.result() for part, future in compiled.items()},
            {name: built[name].result() for name in part_of},
        )


def _all_or_first_failure(
    compiled: dict[str, Future[Path]], built: dict[str, Future[Path]]
) -> None:
    """Wait for everything, but no longer than to the first failure, which is raised.

    A part's images are in `built` before its future is over.
    """
    over: set[Future[Path]] = set()
    while left := {*compiled.values(), *built.values()} - over:
        done, _ = wait(left, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
        over |= done
