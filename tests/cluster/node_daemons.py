"""The daemons of each node, as data.

Settings that look odd serve machines like build workers: no capability to lower OOM scores, no
huge pages controller, cgroup v1. They do no harm elsewhere. A kubelet never evicts or collects
images for want of space, because an image that is gone cannot be pulled again. The first node
reserves nothing, so that the whole CPU is allocatable to benchmark pods.
"""

import json
from pathlib import Path
from typing import Any, Final

from . import namespaces, network
from .daemon import Daemon, kubeconfig_path
from .layout import Layout
from .nodes import Node
from .versions import image

CONTAINERD_SOCKET: Final = Path("/run/containerd/containerd.sock")
KUBELET_PORT: Final = 10250


def daemons(layout: Layout, node: Node, reserved: dict[str, str]) -> list[Daemon]:
    """In the order in which they are started; the node keeps what is ``reserved`` from its pods."""
    made = [] if node.is_machine else [namespaces.holder(layout, node)]
    return [
        *made,
        _containerd(layout, node),
        _proxy(layout, node),
        _kubelet(layout, node, reserved),
    ]


def _containerd(layout: Layout, node: Node) -> Daemon:
    name = node.own("containerd")
    home, config = layout.state / name, layout.config / f"{name}.toml"
    # Of a further node, what a reboot empties is in a file system that ends with the node.
    run = home if node.is_machine else CONTAINERD_SOCKET.parent
    cni = layout.config / node.own("cni")
    addresses = network.cni_config(layout.state / node.own("cni"), node.pods)
    return Daemon(
        name,
        Path("/usr/bin/containerd"),
        (f"--config={config}",),
        {
            config: _toml(
                {
                    "": {
                        "version": 2,
                        "root": f"{home}/root",
                        "state": f"{run}/run",
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
                        "Root": f"{run}/runc",
                        "SystemdCgroup": False,
                    },
                }
            ),
            cni / "10-encbench.conflist": _json(addresses),
        },
        node=node,
    )


def _proxy(layout: Layout, node: Node) -> Daemon:
    name = node.own("kube-proxy")
    config, client = layout.config / f"{name}.json", kubeconfig_path(layout, name)
    settings = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "iptables",
        "clusterCIDR": network.POD_RANGE,
        "hostnameOverride": node.name,
        "clientConnection": {"kubeconfig": str(client)},
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
        # Zero leaves the kernel's connection tracking settings alone.
        "conntrack": {"maxPerCore": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
    }
    return Daemon(
        name,
        layout.bin / "kube-proxy",
        (f"--config={config}",),
        {config: _json(settings)},
        client=True,
        ports=(("127.0.0.1", 10249), ("127.0.0.1", 10256)),
        node=node,
    )


def _kubelet(layout: Layout, node: Node, reserved: dict[str, str]) -> Daemon:
    name, certificate = node.own("kubelet"), layout.pki / node.own("kubelet-server")
    config, client = layout.config / f"{name}.json", kubeconfig_path(layout, name)
    home = layout.state / name
    settings: dict[str, Any] = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": node.address,
        "healthzBindAddress": "127.0.0.1",
        "readOnlyPort": 0,
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{layout.pki}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{certificate}.crt",
        "tlsPrivateKeyFile": f"{certificate}.key",
        "clusterDNS": [network.DNS_ADDRESS],
        "clusterDomain": network.DNS_DOMAIN,
        "resolvConf": "",
        "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{node.branch}",
        "featureGates": {"KubeletInUserNamespace": True},
        "failCgroupV1": False,
        "failSwapOn": False,
        "podLogsDir": str(layout.logs / node.own("pods")),
        "volumePluginDir": f"{home}/volume-plugins",
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "256Mi",
            "imagefs.available": "256Mi",
        },
        "imageGCHighThresholdPercent": 100,
    }
    if reserved:
        settings["systemReserved"] = reserved
    return Daemon(
        name,
        layout.bin / "kubelet",
        (
            f"--config={config}",
            f"--kubeconfig={client}",
            f"--root-dir={home}",
            f"--cert-dir={home}/pki",
            f"--hostname-override={node.name}",
            f"--node-ip={node.address}",
        ),
        {config: _json(settings)},
        client=True,
        ports=((node.address, KUBELET_PORT), ("127.0.0.1", 10248)),
        node=node,
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
