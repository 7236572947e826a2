"""Every pod satisfies the restricted Pod Security Standard, and no credential is in plain view.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
"""

import json

import pytest

from tests.support.chart import Rendered
from tests.unit.chart.variants import VARIANTS

ALLOWED_VOLUMES = {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}


def test_every_pod_is_restricted(any_variant: Rendered) -> None:
    for name, spec in any_variant.pods():
        pod = spec["securityContext"]
        assert pod["runAsNonRoot"] is True, name
        assert pod["runAsUser"] > 0, name
        assert pod["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostPID", "hostIPC", "hostNetwork", "hostUsers"} & set(spec), name
        for volume in spec.get("volumes", ()):
            assert set(volume) - {"name"} <= ALLOWED_VOLUMES, name


def test_every_container_is_restricted(any_variant: Rendered) -> None:
    for name, container in any_variant.containers():
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False, name
        assert security["readOnlyRootFilesystem"] is True, name
        assert security["capabilities"] == {"drop": ["ALL"]}, name
        assert not any("hostPort" in port for port in container.get("ports", ())), name


def test_every_container_says_what_it_needs(any_variant: Rendered) -> None:
    for name, container in any_variant.containers():
        for amounts in ("requests", "limits"):
            assert set(container["resources"][amounts]) == {"cpu", "memory"}, name


def test_every_lasting_container_is_probed(any_variant: Rendered) -> None:
    for name, container in any_variant.containers():
        if container["name"] == "users":
            assert "ports" not in container, "it serves nothing"
            assert "startupProbe" in container
        elif not name.endswith(("-check", "-let-go")):
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                port = container[probe]["httpGet"]["port"]
                assert port in [entry["name"] for entry in container["ports"]], name


def test_only_those_that_talk_to_the_api_server_have_a_token(any_variant: Rendered) -> None:
    for account in any_variant.all("ServiceAccount"):
        assert account["automountServiceAccountToken"] is False
    mounted = {
        name
        for name, spec in any_variant.pods()
        if spec["automountServiceAccountToken"] is not False
    }
    known = ("-operator", "-check", "-let-go", "-prometheus")
    assert [name for name in mounted if not name.endswith(known)] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_credentials_are_files_only(variant: str, request: pytest.FixtureRequest) -> None:
    rendered: Rendered = request.getfixturevalue(variant)
    secrets = [
        value for secret in rendered.all("Secret") for value in secret.get("data", {}).values()
    ]
    for name, container in rendered.containers():
        sources = {one for entry in container.get("env", ()) for one in entry.get("valueFrom", ())}
        assert sources <= {"fieldRef"}, name  # A pod's own name is no secret.
        assert "envFrom" not in container, name
        text = json.dumps(container)
        assert not any(secret in text for secret in secrets), name


def test_generated_keys_differ_from_each_other(default: Rendered) -> None:
    keys = [key for body in default.all("Secret", "minio") for key in body["data"].values()]
    assert len({*keys}) == 6
    assert min(map(len, keys)) >= 24
