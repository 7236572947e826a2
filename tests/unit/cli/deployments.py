"""The operator's Deployment, as a command finds it in a cluster."""

from typing import Any

from encbench.cli.installation import DEPLOYMENT, OPERATOR


def operator(*arguments: str, mounted: str | None = "s3") -> dict[str, Any]:
    """A Deployment of these arguments, with the Secret `mounted`."""
    volumes = [{"name": "x", "secret": {"secretName": mounted}}] if mounted else []
    container = {"name": "operator", "image": "x", "args": list(arguments)}
    return {
        "apiVersion": DEPLOYMENT.api_version,
        "kind": DEPLOYMENT.kind,
        "metadata": {"name": "operator", "namespace": "encbench", "labels": OPERATOR},
        "spec": {"template": {"spec": {"containers": [container], "volumes": volumes}}},
    }
