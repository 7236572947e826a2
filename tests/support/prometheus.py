"""Real Prometheus servers on loopback, for tests of what reads metrics.

Two of them: the current one that the cluster's image has, and Debian's from before version 3, for
users bring their own. Debian's package is unpacked into the cache, not installed: that would start
a service. Its promtool writes the samples for both.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster import binaries, cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.cluster.versions import DEBIAN_SUITE
from tests.support.daemon import free_port, running
from tests.support.debian import extract


def current() -> Path:
    """The server that the cluster's image has, compiled now unless the cache has it."""
    return binaries.compiled("prometheus") / "prometheus"


def debian(name: str) -> Path:
    """`prometheus` or `promtool` out of Debian's package."""
    layout = Layout.from_environment()
    key = cache.content_key(DEBIAN_SUITE)
    with cache.exclusive(layout, Console()):
        return cache.entry(layout, "debian", "prometheus", key, _unpack) / name


def _unpack(made: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        extract("prometheus", Path(scratch))
        shutil.copytree(Path(scratch, "usr/bin"), made)


def import_openmetrics(text: str, folder: Path) -> None:
    """Write samples with timestamps (OpenMetrics) into the data of one that is started later."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "samples.openmetrics"
    source.write_text(text)
    argv = [str(debian("promtool")), "tsdb", "create-blocks-from", "openmetrics"]
    subprocess.run([*argv, str(source), str(folder / "data")], check=True, capture_output=True)


@contextmanager
def running_prometheus(server: Path, folder: Path, config: str = "") -> Iterator[str]:
    """The URL of a Prometheus with its data in `folder` and this configuration (YAML)."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "prometheus.yml"
    file.write_text(config)
    address = f"127.0.0.1:{free_port()}"
    argv = [
        str(server),
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address={address}",
    ]
    with running(argv, ready=f"http://{address}/-/ready", log=folder / "prometheus.log"):
        yield f"http://{address}"
