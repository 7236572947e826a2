"""The daemons that a cluster has once, whatever its number of nodes, as data.

They run on the first node, as processes of this machine.
"""

from pathlib import Path
from typing import Final

from . import network, pki
from .daemon import Daemon, kubeconfig_path
from .layout import Layout

_ETCD: Final = "https://127.0.0.1:2379"
_ISSUER: Final = f"https://kubernetes.default.svc.{network.DNS_DOMAIN}"


def daemons(layout: Layout) -> list[Daemon]:
    """In the order in which they are started."""
    return [_etcd(layout), _apiserver(layout), _controller_manager(layout), _scheduler(layout)]


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
    return Daemon(
        "kube-controller-manager",
        layout.bin / "kube-controller-manager",
        (
            *_of_a_client(layout, "kube-controller-manager"),
            "--use-service-account-credentials=true",
            f"--root-ca-file={layout.pki}/ca.crt",
            f"--cluster-signing-cert-file={layout.pki}/ca.crt",
            f"--cluster-signing-key-file={layout.pki}/ca.key",
            f"--service-account-private-key-file={layout.pki}/service-accounts.key",
        ),
        client=True,
        ports=(("127.0.0.1", 10257),),
    )


def _scheduler(layout: Layout) -> Daemon:
    return Daemon(
        "kube-scheduler",
        layout.bin / "kube-scheduler",
        _of_a_client(layout, "kube-scheduler"),
        client=True,
        ports=(("127.0.0.1", 10259),),
    )


def _of_a_client(layout: Layout, name: str) -> tuple[str, ...]:
    """What a daemon that only talks to the API server is told."""
    config = kubeconfig_path(layout, name)
    return (
        f"--kubeconfig={config}",
        f"--authentication-kubeconfig={config}",
        f"--authorization-kubeconfig={config}",
        "--bind-address=127.0.0.1",
        "--leader-elect=false",
        "--profiling=false",
    )
