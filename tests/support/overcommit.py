"""Clients that request next to no CPU, so that more of them fit than a small cluster has room for.

A client's pod requests all that it may use, and a tenth of a core for its recorder. A webhook takes
these requests down before the scheduler reads them. The limits stay, and the operator knows nothing
of it.
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support import certified
from tests.support.kube import Kube, wait_for

NAME = "encbench-tests-overcommit"
CLIENT = {"app.kubernetes.io/component": "client"}
REQUEST = "2m"
ASKED = {"cpu": "100m", "memory": "16Mi"}
"""Requests and limits of a pod that is only tried."""

Body = dict[str, Any]


@contextmanager
def overcommitted(kube: Kube, namespace: str, host: str) -> Iterator[None]:
    """New pods of clients in that namespace request little; the API server asks us at `host`."""
    authority = certified.issued([host]).authority
    with _answering(host) as port:
        kube.apply(_configuration(namespace, f"https://{host}:{port}/", authority))
        try:
            wait_for("the webhook", lambda: _requests(kube, namespace) == {REQUEST}, 30)
            yield
        finally:
            kube.kubectl("delete", "mutatingwebhookconfiguration", NAME, "--ignore-not-found")


def answer(review: Body) -> Body:
    """What the webhook says about one pod: allowed, with other requests."""
    asked = review["request"]
    containers = asked["object"]["spec"]["containers"]
    patch = [
        {
            "op": "replace",
            "path": f"/spec/containers/{index}/resources/requests/cpu",
            "value": REQUEST,
        }
        for index, _ in enumerate(containers)
    ]
    return {
        "apiVersion": review["apiVersion"],
        "kind": review["kind"],
        "response": {
            "uid": asked["uid"],
            "allowed": True,
            "patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
        },
    }


@contextmanager
def _answering(host: str) -> Iterator[int]:
    """The webhook behind HTTPS on an address of this machine; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = json.dumps(answer(review)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer((host, 0), Handler)
    # By the thread of each connection: a client that connects and says nothing holds up no other.
    server.socket = certified.context([host]).wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.1,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _configuration(namespace: str, url: str, authority: str) -> Body:
    trusted = base64.b64encode(authority.encode()).decode()
    webhook = {
        "name": f"{NAME}.encbench.io",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "clientConfig": {"url": url, "caBundle": trusted},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "objectSelector": {"matchLabels": CLIENT},
        "rules": [
            {
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["pods"],
            }
        ],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": NAME},
        "webhooks": [webhook],
    }


def _requests(kube: Kube, namespace: str) -> set[str]:
    """The CPU requests that a new client pod would have."""
    return {one["requests"]["cpu"] for one in resources(kube, namespace, CLIENT)}


def resources(kube: Kube, namespace: str, labels: dict[str, str]) -> list[Body]:
    """The resources that the containers of a new pod with these labels would have (a dry run)."""
    container = {
        "name": "one",
        "image": "none",
        "resources": {"requests": ASKED, "limits": ASKED},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "namespace": namespace, "labels": labels},
        "spec": {"containers": [container, {**container, "name": "two"}]},
    }
    said = kube.kubectl(
        "create", "--dry-run=server", "--output=json", "--filename=-", stdin=json.dumps(pod)
    )
    return [one["resources"] for one in json.loads(said)["spec"]["containers"]]
