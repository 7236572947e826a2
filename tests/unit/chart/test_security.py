"""Every pod satisfies the restricted Pod Security Standard, and no credential is in plain view.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
"""

import base64
import json
import re
from collections.abc import Callable

import pytest

from tests.support.chart import Rendered
from tests.unit.chart.variants import VARIANTS

CREDENTIAL = re.compile(r"(PASSWORD|SECRET|TOKEN|CREDENTIAL|KEY)(?!.*_FILE$)")
"""Names of variables that would hold one, and not the path of its file."""
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
    has_own = variant not in ("external", "namespaces")
    assert bool(_credentials(rendered)) is has_own, "the others name Secrets of the user's"
    assert _in_plain_view(rendered, _credentials(rendered)) == []
    for name, container in rendered.containers():
        variables = container.get("env", ())
        sources = {one for entry in variables for one in entry.get("valueFrom", ())}
        assert sources <= {"fieldRef"}, name  # A pod's own name is no secret.
        assert "envFrom" not in container, name
        assert [one["name"] for one in variables if CREDENTIAL.search(one["name"])] == [], name


@pytest.mark.parametrize("hide", [bytes, base64.b64encode])
def test_a_credential_in_plain_view_is_found(
    default: Rendered, hide: Callable[[bytes], bytes]
) -> None:
    one, *_ = credentials = _credentials(default)
    spec = {"containers": [{"args": [f"--secret={hide(one).decode()}"]}]}
    pod = {"kind": "Pod", "metadata": {"name": "open"}, "spec": spec}
    assert _in_plain_view(Rendered((*default.manifests, pod)), credentials) == ["Pod open"]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("MINIO_ROOT_PASSWORD", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("S3_TOKEN", True),
        ("MINIO_ROOT_PASSWORD_FILE", False),
        ("POD_NAME", False),
    ],
)
def test_variables_of_credentials_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert bool(CREDENTIAL.search(name)) is is_one


def _credentials(rendered: Rendered) -> list[bytes]:
    """What the chart's own Secrets hold."""
    values = [value for secret in rendered.all("Secret") for value in secret["data"].values()]
    return [base64.b64decode(value) for value in values]


def _in_plain_view(rendered: Rendered, credentials: list[bytes]) -> list[str]:
    """Objects other than Secrets that show one of them, as it is or in base64."""
    forms = [form.decode() for one in credentials for form in (one, base64.b64encode(one))]
    return [
        f"{body['kind']} {body['metadata']['name']}"
        for body in rendered.manifests
        if body["kind"] != "Secret" and any(form in json.dumps(body) for form in forms)
    ]


def test_generated_keys_differ_from_each_other(default: Rendered) -> None:
    keys = [key for body in default.all("Secret", "minio") for key in body["data"].values()]
    assert len({*keys}) == 6
    assert min(map(len, keys)) >= 24
