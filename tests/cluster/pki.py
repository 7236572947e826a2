"""Certificates and kubeconfigs: one authority, one certificate per component.

Each appears by a rename, with its key before it, so that nothing half-made is ever used. Those of a
node that joins are made when it does.
"""

import base64
import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import network, policies
from .command import capture
from .layout import Layout
from .nodes import Node

API_PORT: Final = 6443
_DAYS: Final = "3650"
_ELLIPTIC: Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")


@dataclass(frozen=True)
class Certificate:
    """A subject and, for servers, the names and addresses they answer to."""

    name: str
    user: str
    group: str | None = None
    serves: tuple[str, ...] = ()


def _certificates(nodes: Iterable[Node]) -> Iterator[Certificate]:
    api = (
        f"IP:{network.NODE_ADDRESS}",
        f"IP:{network.API_SERVICE_ADDRESS}",
        "IP:127.0.0.1",
        "DNS:localhost",
        "DNS:kubernetes",
        "DNS:kubernetes.default",
        "DNS:kubernetes.default.svc",
        f"DNS:kubernetes.default.svc.{network.DNS_DOMAIN}",
    )
    yield Certificate("etcd", "etcd", serves=("IP:127.0.0.1",))
    yield Certificate("kube-apiserver", "kube-apiserver", serves=api)
    yield Certificate("kube-apiserver-client", "kube-apiserver", "system:masters")
    yield Certificate("kube-controller-manager", "system:kube-controller-manager")
    yield Certificate("kube-scheduler", "system:kube-scheduler")
    yield Certificate("admin", "admin", "system:masters")
    for node in nodes:
        serves = (f"IP:{node.address}", f"DNS:{node.name}")
        yield Certificate(node.own("kubelet-server"), node.name, serves=serves)
        yield Certificate(node.own("kubelet"), f"system:node:{node.name}", "system:nodes")
        yield Certificate(node.own("kube-proxy"), "system:kube-proxy")
        yield Certificate(node.own(policies.NAME), policies.NAME)


def ensure(layout: Layout, nodes: Iterable[Node]) -> None:
    """Make what is not there of the authority, the certificates and the service accounts' key."""
    made = layout.pki.with_suffix(".partial")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(mode=0o700, parents=True)
    if not layout.pki.exists():
        _make_authority(made)
        made.rename(layout.pki)
        made.mkdir(mode=0o700)
    for certificate in _certificates(nodes):
        if (layout.pki / f"{certificate.name}.crt").exists():
            continue
        extensions = ["extendedKeyUsage=clientAuth,serverAuth"]
        if certificate.serves:
            extensions.append(f"subjectAltName={','.join(certificate.serves)}")
        signed = ["-CA", f"{layout.pki}/ca.crt", "-CAkey", f"{layout.pki}/ca.key"]
        _openssl(made, certificate.name, certificate.user, certificate.group, extensions, signed)
        for ending in ("key", "crt"):
            name = f"{certificate.name}.{ending}"
            (made / name).rename(layout.pki / name)
    made.rmdir()


def _make_authority(folder: Path) -> None:
    """The authority, and the key that signs service account tokens."""
    _openssl(folder, "ca", "encbench test cluster", None, ["basicConstraints=critical,CA:TRUE"])
    key = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"]
    capture([*key, "-out", f"{folder}/service-accounts.key"])


def kubeconfig(layout: Layout, name: str) -> str:
    """A self-contained kubeconfig for the holder of a certificate, in JSON, which is YAML too."""

    def data(file: Path) -> str:
        return base64.b64encode(file.read_bytes()).decode()

    cluster = {
        "server": f"https://{network.NODE_ADDRESS}:{API_PORT}",
        "certificate-authority-data": data(layout.pki / "ca.crt"),
    }
    user = {
        "client-certificate-data": data(layout.pki / f"{name}.crt"),
        "client-key-data": data(layout.pki / f"{name}.key"),
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "encbench", "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "encbench", "context": {"cluster": "encbench", "user": name}}],
            "current-context": "encbench",
        },
        indent=1,
    )


def _openssl(
    folder: Path,
    name: str,
    user: str,
    group: str | None,
    extensions: Iterable[str],
    signed: Iterable[str] = (),
) -> None:
    """Make a key and a certificate, ``signed`` by the authority; the authority's is by itself."""
    subject = (f"/O={group}" if group else "") + f"/CN={user}"
    capture(
        [
            *("openssl", "req", "-x509", *_ELLIPTIC, *signed, "-days", _DAYS, "-subj", subject),
            *(argument for extension in extensions for argument in ("-addext", extension)),
            *("-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt"),
        ]
    )
