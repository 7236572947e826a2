"""The few requests to the API server that bringing a cluster up needs.

They go over the standard library, with the administrator's certificate.
"""

import http.client
import json
import ssl
from typing import Any, Final

from . import network, pki
from .console import ClusterError
from .layout import Layout

Manifest = dict[str, Any]

# Kind → its plural and whether it lives in a namespace.
_RESOURCES: Final = {
    "ClusterRole": ("clusterroles", False),
    "ClusterRoleBinding": ("clusterrolebindings", False),
    "ConfigMap": ("configmaps", True),
    "Deployment": ("deployments", True),
    "Namespace": ("namespaces", False),
    "Role": ("roles", True),
    "RoleBinding": ("rolebindings", True),
    "Service": ("services", True),
    "ServiceAccount": ("serviceaccounts", True),
    "StorageClass": ("storageclasses", False),
}


class Api:
    """A client of this cluster's API server."""

    def __init__(self, layout: Layout) -> None:
        self._context = ssl.create_default_context(cafile=str(layout.pki / "ca.crt"))
        self._context.load_cert_chain(layout.pki / "admin.crt", layout.pki / "admin.key")

    def ready(self) -> bool:
        """Whether the API server says that it is ready."""
        return self._request("GET", "/readyz")[0] == 200

    def get(self, path: str) -> Any:
        """The object or list at a path, or nothing when it does not exist."""
        status, body = self._request("GET", path)
        return json.loads(body) if status == 200 else None

    def apply(self, manifest: Manifest) -> None:
        """Apply a manifest on the server's side; fields set by others are taken over."""
        path = f"{object_path(manifest)}?fieldManager=encbench-cluster&force=true"
        status, body = self._request("PATCH", path, json.dumps(manifest))
        if status not in (200, 201):
            name = f"{manifest['kind']} {manifest['metadata']['name']}"
            raise ClusterError(f"the API server refused {name}: {_message(body)}")

    def _request(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        """Status and body; a server that cannot be reached answers with status 0."""
        connection = http.client.HTTPSConnection(
            network.NODE_ADDRESS, pki.API_PORT, timeout=10, context=self._context
        )
        try:
            connection.request(method, path, body, {"Content-Type": "application/apply-patch+yaml"})
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()


def object_path(manifest: Manifest) -> str:
    """The path of an object, such as ``/apis/apps/v1/namespaces/x/deployments/y``."""
    plural, namespaced = _RESOURCES[manifest["kind"]]
    version, metadata = manifest["apiVersion"], manifest["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    scope = f"/namespaces/{metadata['namespace']}" if namespaced else ""
    return f"{root}{scope}/{plural}/{metadata['name']}"


def condition(item: Manifest | None, kind: str) -> bool:
    """Whether an object carries a condition that is true."""
    conditions = ((item or {}).get("status") or {}).get("conditions") or []
    return any(entry["type"] == kind and entry["status"] == "True" for entry in conditions)


def rolled_out(deployment: Manifest | None) -> bool:
    """Whether every replica of a deployment is of its newest template and available."""
    if deployment is None:
        return False
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    return bool(
        status.get("observedGeneration") == deployment["metadata"]["generation"]
        and status.get("updatedReplicas") == wanted
        and status.get("availableReplicas") == status.get("replicas") == wanted
    )


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace")[:200] or "no answer"
