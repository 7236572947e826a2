"""Requests to the API server of a real cluster with an account's own token, and nothing else."""

import base64
import http.client
import json
import ssl
import tempfile
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.support.install import NAMESPACE, RELEASE
from tests.support.kube import Kube


@dataclass(frozen=True)
class Caller:
    """Whoever has this token, or whoever the TLS context has a certificate of."""

    address: str
    context: ssl.SSLContext
    token: str = ""

    def request(self, method: str, path: str, body: Any = None, acts_as: str = "") -> int:
        """The status of the answer."""
        patch = "application/merge-patch+json"
        headers = {"Content-Type": patch if method == "PATCH" else "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if acts_as:
            headers["Impersonate-User"] = acts_as
        connection = http.client.HTTPSConnection(self.address, timeout=30, context=self.context)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, headers)
            return connection.getresponse().status
        finally:
            connection.close()


def account(kube: Kube, name: str) -> Caller:
    """One of the chart's accounts."""
    token = kube.kubectl("create", "token", f"{RELEASE}-{name}", f"--namespace={NAMESPACE}")
    cluster, _ = _configuration(kube)
    return Caller(urlsplit(cluster["server"]).netloc, _trusting(cluster), token.strip())


def administrator(kube: Kube) -> Caller:
    """Who may do everything, on a cluster of our own."""
    cluster, user = _configuration(kube)
    context = _trusting(cluster)
    with tempfile.NamedTemporaryFile() as both:
        for part in ("client-certificate-data", "client-key-data"):
            both.write(base64.b64decode(user[part]))
        both.flush()
        context.load_cert_chain(both.name)
    return Caller(urlsplit(cluster["server"]).netloc, context)


def _trusting(cluster: dict[str, Any]) -> ssl.SSLContext:
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    return ssl.create_default_context(cadata=authority)


def _configuration(kube: Kube) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cluster and the user of the current context."""
    text = kube.kubectl("config", "view", "--raw", "--minify", "--output=json")
    found = json.loads(text)
    return found["clusters"][0]["cluster"], found["users"][0]["user"]
