"""Everything that is made before it can run: binaries and image archives, in two lanes.

Compilers keep every core busy while image builds mostly wait for the network and the disk, so one
lane compiles and the other builds images, each image as soon as its binary is there.
"""

from collections.abc import Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path

from . import binaries, images
from .command import end_contained
from .console import Console
from .layout import Layout


def make(
    layout: Layout, console: Console, parts: Iterable[str], names: Iterable[str], *, pull: bool
) -> tuple[dict[str, Path], dict[str, Path]]:
    """Binary directories by part and archives by image name, made where the cache lacks them."""
    names = list(names)
    needed = {recipe.part for name in names if (recipe := images.RECIPES[name]).part}
    wanted = [part for part in binaries.PARTS if part in {*parts, *needed}]
    with ThreadPoolExecutor(1) as compilers, ThreadPoolExecutor(1) as builders:
        compiled: dict[str, Future[Path]] = {
            part: compilers.submit(binaries.ensure, layout, console, part) for part in wanted
        }

        def archive(name: str) -> Path:
            part = images.RECIPES[name].part
            made = compiled[part].result() if part else None
            return images.ensure(layout, console, name, made, pull=pull)

        # Those that wait for no compiler go first, and the others as their binaries come.
        turn = {part: place for place, part in enumerate(wanted)}
        order = sorted(names, key=lambda name: turn.get(images.RECIPES[name].part or "", -1))
        built = {name: builders.submit(archive, name) for name in order}
        try:
            _all_or_first_failure([*compiled.values(), *built.values()])
        except BaseException:
            for lane in (compilers, builders):
                lane.shutdown(wait=False, cancel_futures=True)
            end_contained()
            raise
        return (
            {part: future.result() for part, future in compiled.items()},
            {name: future.result() for name, future in built.items()},
        )


def _all_or_first_failure(futures: list[Future[Path]]) -> None:
    """Wait for everything, but no longer than to the first failure, which is raised."""
    done, _ = wait(futures, return_when=FIRST_EXCEPTION)
    for future in futures:
        if future in done:
            future.result()
