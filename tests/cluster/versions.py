"""Versions that are not pinned by the Go modules under ``tools/``.

The Go parts (Kubernetes, CoreDNS, Helm, MinIO and so on) have their versions in ``tools/*/go.mod``;
a unit test holds the image tags below against those. Debian's packages come from one suite.
"""

from typing import Final

# The Kubernetes of a cluster, and the oldest and the newest that the chart is tested on; ``tools``
# has a Go module of each.
USUAL_KUBERNETES: Final = "1.34"
OTHER_KUBERNETES: Final = ("1.32", "1.37")

# The oldest compilers for our Go modules and our crates; a unit test holds them and the docs
# against these.
GO: Final = "1.26"
RUST: Final = "1.85"

DEBIAN_SUITE: Final = "bookworm"

# The suites that our images are based on, each with the name that registries know its image by.
BASE_IMAGES: Final = {
    DEBIAN_SUITE: "docker.io/library/debian:bookworm-slim",
    "sid": "docker.io/library/debian:sid-slim",
}

IMAGE_PREFIX: Final = "docker.io/encbench"
IMAGE_TAGS: Final = {
    "pause": "1.0",
    "coredns": "1.14.7",
    "local-path-provisioner": "0.0.30",
    "mariadb": "10.11",
    "mysql": "9.7",
    "postgresql": "15",
    "sysbench": "1.0.20",
    "prometheus": "3.13.5",
    "node-exporter": "1.5",
    "minio": "20260212",
    "gocryptfs": "2.6.1",
    "confidential-proxy": "1.0",
    "turnstile": "1.0",
    "tpcc": "1.0",
    "operator": "dev",
}

# By which mmdebstrap knows Debian's packages.
KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"

# Debian packages the host needs, each with a command or path that shows it is usable. busybox is
# for the tests alone: one of the shells that the packaged scripts must run under.
HOST_PACKAGES: Final = {
    "buildah": "buildah",
    "busybox": "busybox",
    "conntrack": "conntrack",
    "containerd": "containerd",
    "containernetworking-plugins": "/usr/lib/cni/bridge",
    "debian-archive-keyring": KEYRING,
    "etcd-server": "etcd",
    "iproute2": "ip",
    "iptables": "iptables",
    "mmdebstrap": "mmdebstrap",
    "nftables": "nft",
    "openssl": "openssl",
    "runc": "runc",
}

# What Go needs for packages that are in C, and Rust as its linker.
C_COMPILER: Final = {"gcc": "gcc", "libc6-dev": "/usr/include/stdio.h"}

# By which mmdebstrap sees whether this machine runs another architecture's programs.
FOREIGN_PROGRAMS: Final = {"arch-test": "arch-test"}


def image(name: str) -> str:
    """The full reference of one of our images, such as ``docker.io/encbench/pause:1.0``."""
    return f"{IMAGE_PREFIX}/{name}:{IMAGE_TAGS[name]}"
