"""The daemons: what each is started with, as data.

Settings that look odd serve machines like build workers: no capability to lower OOM scores, no
huge pages controller, cgroup v1. They do no harm elsewhere. The kubelet reserves nothing, so that
the whole CPU is allocatable to benchmark pods, and never evicts or collects images for want of
space, because an image that is gone cannot be pulled again.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from . import cgroups, network, pki
from .layout import Layout
from .versions import image

CONTAINERD_SOCKET: Final = Path("/run/containerd/containerd.sock")
KUBELET_HEALTH_PORT: Final = 10248  # its default
_ETCD: Final = "https://127.0.0.1:2379"
_ISSUER: Final = f"https://kubernetes.default.svc.{network.DNS_DOMAIN}"


@dataclass(frozen=True)
class Daemon:
    """A program, its arguments, the files it is configured by (path → content) and its ports.

    A ``client`` of the API server finds its kubeconfig at :func:`kubeconfig_path`.
    """

    name: str
    binary: Path
    arguments: tuple[str, ...]
    files: dict[Path, str] = field(default_factory=dict)
    client: bool = False
    ports: tuple[tuple[str, int], ...] = ()

    @property
    def argv(self) -> list[str]:
        return [str(self.binary), *self.arguments]


def daemons(layout: Layout) -> list[Daemon]:
    """All daemons, in the order in which they are started."""
    builders: tuple[Callable[[Layout], Daemon], ...] = (
        _etcd,
        _containerd,
        _apiserver,
        _controller_manager,
        _scheduler,
        _proxy,
        _kubelet,
    )
    return [build(layout) for build in builders]


def kubeconfig_path(layout: Layout, name: str) -> Path:
    """The kubeconfig of a daemon that talks to the API server."""
    return layout.config / f"{name}.kubeconfig"


def _etcd(layout: Layout) -> Daemon:
    certificate, peer = layout.pki / "etcd", "http://127.0.0.1:2380"
    return Daemon(
        "etcd",
        Path("/usr/bin/etcd"),
        (
            "--name=encbench",
            f"--data-dir={layout.state}/etcd",
            f"--listen-client-urls={_ETCD}",
            f"--advertise-client-urls={_ETCD}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=encbench={peer}",
            f"--cert-file={certificate}.crt",
            f"--key-file={certificate}.key",
            f"--trusted-ca-file={layout.pki}/ca.crt",
            "--client-cert-auth",
            "--unsafe-no-fsync",
            "--logger=zap",
            "--log-level=warn",
        ),
        ports=(("127.0.0.1", 2379), ("127.0.0.1", 2380)),
    )


def _containerd(layout: Layout) -> Daemon:
    home, config = layout.state / "containerd", layout.config / "containerd.toml"
    cni = layout.config / "cni"
    return Daemon(
        "containerd",
        Path("/usr/bin/containerd"),
        (f"--config={config}",),
        {
            config: _toml(
                {
                    "": {
                        "version": 2,
                        "root": f"{home}/root",
                        "state": f"{home}/run",
                        "disabled_plugins": [
                            "io.containerd.internal.v1.opt",
                            "io.containerd.snapshotter.v1.aufs",
                            "io.containerd.snapshotter.v1.btrfs",
                            "io.containerd.snapshotter.v1.devmapper",
                            "io.containerd.snapshotter.v1.zfs",
                        ],
                    },
                    # The kubelet's cAdvisor looks for containerd at this path only.
                    "grpc": {"address": str(CONTAINERD_SOCKET)},
                    'plugins."io.containerd.grpc.v1.cri"': {
                        "sandbox_image": image("pause"),
                        "restrict_oom_score_adj": True,
                        "disable_hugetlb_controller": True,
                        "netns_mounts_under_state_dir": True,
                    },
                    'plugins."io.containerd.grpc.v1.cri".cni': {
                        "bin_dir": "/usr/lib/cni",
                        "conf_dir": str(cni),
                    },
                    'plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc': {
                        "runtime_type": "io.containerd.runc.v2"
                    },
                    'plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options': {
                        "Root": f"{home}/runc",
                        "SystemdCgroup": False,
                    },
                }
            ),
            cni / "10-encbench.conflist": _json(network.cni_config(layout.state / "cni")),
        },
    )


def _apiserver(layout: Layout) -> Daemon:
    certificates = layout.pki
    return Daemon(
        "kube-apiserver",
        layout.bin / "kube-apiserver",
        (
            f"--etcd-servers={_ETCD}",
            f"--etcd-cafile={certificates}/ca.crt",
            f"--etcd-certfile={certificates}/kube-apiserver-client.crt",
            f"--etcd-keyfile={certificates}/kube-apiserver-client.key",
            f"--bind-address={network.NODE_ADDRESS}",
            f"--advertise-address={network.NODE_ADDRESS}",
            f"--secure-port={pki.API_PORT}",
            f"--service-cluster-ip-range={network.SERVICE_RANGE}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged=true",
            "--profiling=false",
            f"--client-ca-file={certificates}/ca.crt",
            f"--tls-cert-file={certificates}/kube-apiserver.crt",
            f"--tls-private-key-file={certificates}/kube-apiserver.key",
            f"--kubelet-certificate-authority={certificates}/ca.crt",
            f"--kubelet-client-certificate={certificates}/kube-apiserver-client.crt",
            f"--kubelet-client-key={certificates}/kube-apiserver-client.key",
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-issuer={_ISSUER}",
            f"--service-account-key-file={certificates}/service-accounts.key",
            f"--service-account-signing-key-file={certificates}/service-accounts.key",
        ),
        ports=((network.NODE_ADDRESS, pki.API_PORT),),
    )


def _controller_manager(layout: Layout) -> Daemon:
    config = kubeconfig_path(layout, "kube-controller-manager")
    return Daemon(
        "kube-controller-manager",
        layout.bin / "kube-controller-manager",
        (
            f"--kubeconfig={config}",
            f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1",
            "--leader-elect=false",
            "--use-service-account-credentials=true",
            "--profiling=false",
            f"--root-ca-file={layout.pki}/ca.crt",
            f"--cluster-signing-cert-file={layout.pki}/ca.crt",
            f"--cluster-signing-key-file={layout.pki}/ca.key",
            f"--service-account-private-key-file={layout.pki}/service-accounts.key",
        ),
        client=True,
        ports=(("127.0.0.1", 10257),),
    )


def _scheduler(layout: Layout) -> Daemon:
    config = kubeconfig_path(layout, "kube-scheduler")
    return Daemon(
        "kube-scheduler",
        layout.bin / "kube-scheduler",
        (
            f"--kubeconfig={config}",
            f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1",
            "--leader-elect=false",
            "--profiling=false",
        ),
        client=True,
        ports=(("127.0.0.1", 10259),),
    )


def _proxy(layout: Layout) -> Daemon:
    config = layout.config / "kube-proxy.json"
    client = kubeconfig_path(layout, "kube-proxy")
    settings = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "iptables",
        "clusterCIDR": network.POD_RANGE,
        "hostnameOverride": pki.node_name(),
        "clientConnection": {"kubeconfig": str(client)},
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
        # Zero leaves the kernel's connection tracking settings alone.
        "conntrack": {"maxPerCore": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
    }
    return Daemon(
        "kube-proxy",
        layout.bin / "kube-proxy",
        (f"--config={config}",),
        {config: _json(settings)},
        client=True,
        ports=(("127.0.0.1", 10249), ("127.0.0.1", 10256)),
    )


def _kubelet(layout: Layout) -> Daemon:
    config = layout.config / "kubelet.json"
    client = kubeconfig_path(layout, "kubelet")
    settings = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": network.NODE_ADDRESS,
        "healthzBindAddress": "127.0.0.1",
        "readOnlyPort": 0,
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{layout.pki}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{layout.pki}/kubelet-server.crt",
        "tlsPrivateKeyFile": f"{layout.pki}/kubelet-server.key",
        "clusterDNS": [network.DNS_ADDRESS],
        "clusterDomain": network.DNS_DOMAIN,
        "resolvConf": "",
        "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{cgroups.NAME}",
        "featureGates": {"KubeletInUserNamespace": True},
        "failSwapOn": False,
        "podLogsDir": f"{layout.logs}/pods",
        "volumePluginDir": f"{layout.kubelet}/volume-plugins",
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "256Mi",
            "imagefs.available": "256Mi",
        },
        "imageGCHighThresholdPercent": 100,
    }
    return Daemon(
        "kubelet",
        layout.bin / "kubelet",
        (
            f"--config={config}",
            f"--kubeconfig={client}",
            f"--root-dir={layout.kubelet}",
            f"--cert-dir={layout.kubelet}/pki",
            f"--hostname-override={pki.node_name()}",
            f"--node-ip={network.NODE_ADDRESS}",
        ),
        {config: _json(settings)},
        client=True,
        ports=((network.NODE_ADDRESS, 10250), ("127.0.0.1", KUBELET_HEALTH_PORT)),
    )


def _json(value: Any) -> str:
    return json.dumps(value, indent=1)


def _toml(tables: dict[str, dict[str, Any]]) -> str:
    """Strings, numbers, booleans and lists of strings are written alike in TOML and JSON."""
    lines: list[str] = []
    for table, values in tables.items():
        if table:
            lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"
