"""The machine as it was before the cluster's first change, and putting it back.

The record is written once, before anything else, and lives in the state directory until ``down``
has used it. What lies outside the state directory is listed here; programs of Kubernetes fix those
places and no setting moves them.
"""

import errno
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from . import cache, firewall
from .layout import Layout

# What the kubelet, kube-proxy and we change under /proc/sys.
_SYSCTLS: Final = (
    "kernel/keys/root_maxbytes",
    "kernel/keys/root_maxkeys",
    "kernel/panic",
    "kernel/panic_on_oops",
    "net/bridge/bridge-nf-call-ip6tables",
    "net/bridge/bridge-nf-call-iptables",
    "net/ipv4/conf/all/route_localnet",
    "net/ipv4/ip_forward",
    "net/netfilter/nf_conntrack_max",
    "net/netfilter/nf_conntrack_tcp_timeout_close_wait",
    "net/netfilter/nf_conntrack_tcp_timeout_established",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
)

# Directories that appear outside the state directory; ``down`` removes those that were not there.
# Sockets and files in them are ours only where the second column says so.
_OUTSIDE: Final = {
    "/etc/cni": (),
    "/etc/containerd": (),
    "/etc/kubernetes": (),
    "/opt/cni": (),
    "/opt/containerd": (),
    "/run/containerd": ("containerd.sock", "containerd.sock.ttrpc", "s"),
    "/run/netns": (),
    "/run/xtables.lock": (),
    "/usr/libexec/kubernetes": (),
    "/var/lib/cni": ("results",),
    "/var/lib/kubelet": ("device-plugins",),
    "/var/log/containers": (),
    "/var/log/pods": (),
}


@dataclass(frozen=True)
class Snapshot:
    """Sysctl values, which of the outside places existed, and which firewall tables did."""

    sysctls: dict[str, str]
    existing: list[str]
    tables: dict[str, list[str]]


def take(layout: Layout) -> None:
    """Write the record unless there is one already."""
    if layout.snapshot.exists():
        return
    record = Snapshot(
        sysctls={name: value for name in _SYSCTLS if (value := _read(name)) is not None},
        existing=[path for path in _OUTSIDE if Path(path).exists()],
        tables={family: sorted(firewall.tables(family)) for family in firewall.FAMILIES},
    )
    layout.state.mkdir(parents=True, exist_ok=True)
    partial = layout.snapshot.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(record), indent=1))
    partial.rename(layout.snapshot)


def load(layout: Layout) -> Snapshot | None:
    """The record, or nothing when the cluster never began to start."""
    if not layout.snapshot.exists():
        return None
    return Snapshot(**json.loads(layout.snapshot.read_text()))


def restore_sysctls(record: Snapshot) -> None:
    for name, value in record.sysctls.items():
        if _read(name) not in (value, None):
            (Path("/proc/sys") / name).write_text(value)


def remove_outside(layout: Layout, record: Snapshot | None) -> None:
    """Remove what daemons left outside the state directory, and directories made for that."""
    for link in Path("/var/log/containers").glob("*.log"):
        if link.is_symlink() and layout.state in link.readlink().parents:
            link.unlink()
    for folder, ours in _OUTSIDE.items():
        for name in ours:
            cache.remove(Path(folder) / name)
        if record is not None and folder not in record.existing:
            _remove_empty(Path(folder))


def _remove_empty(path: Path) -> None:
    """Remove an empty directory tree or an empty file; anything with content stays."""
    if path.is_dir():
        for child in path.iterdir():
            if child.is_dir():
                _remove_empty(child)
        if not any(path.iterdir()):
            try:
                path.rmdir()
            except OSError as error:
                # Somebody else has mounted it, as `ip netns` does with /run/netns.
                if error.errno != errno.EBUSY:
                    raise
    elif path.exists() and path.stat().st_size == 0:
        path.unlink()


def _read(name: str) -> str | None:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return None
