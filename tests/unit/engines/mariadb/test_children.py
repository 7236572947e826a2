"""The objects of a testbed: as the golden files show them, and what must hold of any."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from encbench.database.children import keys_secret, stateful_set, volume_claim
from encbench.kube.pods import Programs
from tests.support.testbeds import (
    PLAINTEXT,
    TDE,
    TLS,
    counting_tokens,
    database_context,
    spec_of_testbed,
)
from tests.unit.engines import golden_files
from tests.unit.engines.mariadb import golden
from tests.unit.engines.rendering import assert_guaranteed_and_restricted, containers, secrets_seen

OWN_KEY = {
    "atRest": {
        "method": "engine",
        "algorithm": "AES_CBC",
        "keySecretRef": {"name": "my-key", "key": "key.txt"},
    }
}
MODES = [PLAINTEXT, TDE, OWN_KEY, TLS]


def pod(mode: dict[str, Any], **changes: Any) -> dict[str, Any]:
    context = database_context(spec_of_testbed(mode, **changes))
    spec: dict[str, Any] = stateful_set(context)["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("name", golden.MODES)
def test_the_children_are_as_the_golden_files_show(name: str) -> None:
    expected = golden_files.expected(golden.FOLDER, name)
    assert golden.rendered(golden.MODES[name]) == expected, (
        "renew with: PYTHONPATH=operator:. python -m tests.unit.engines.mariadb.golden"
    )


@pytest.mark.parametrize("mode", MODES)
def test_every_container_is_guaranteed_and_restricted(mode: dict[str, Any]) -> None:
    assert_guaranteed_and_restricted(pod(mode))


@pytest.mark.parametrize("mode", MODES)
def test_each_container_sees_only_the_secrets_that_it_needs(mode: dict[str, Any]) -> None:
    seen = secrets_seen(pod(mode))
    key = ["keyfile"] if mode else []
    if mode is TLS:
        key = ["ca.crt", "tls.crt", "tls.key"]
    assert seen == {
        "initialise": key,
        "server": sorted([*key, "init.sql"]),
        "agent": ["agent-password", "agent-tls.crt", "agent-tls.key", "agent-token"],
    }


def test_the_users_own_key_is_copied_under_the_name_that_the_server_reads() -> None:
    """The server would not read its data by another key, which a rotation brings."""
    context = database_context(spec_of_testbed(OWN_KEY))
    secret = keys_secret(context, counting_tokens(), {"keyfile": "1;0a", "mek": "0b"})
    assert secret is not None
    assert secret["immutable"]
    assert {name: base64.b64decode(text) for name, text in secret["data"].items()} == {
        "keyfile": b"1;0a"
    }
    assert "my-key" not in str(pod(OWN_KEY))
    volume = next(volume for volume in pod(OWN_KEY)["volumes"] if volume["name"] == "keys")
    assert volume["secret"]["secretName"] == secret["metadata"]["name"]
    assert volume["secret"]["items"] == [{"key": "keyfile", "path": "keyfile"}]
    with pytest.raises(KeyError):
        keys_secret(context, counting_tokens())


def test_plaintext_has_no_key() -> None:
    context = database_context(spec_of_testbed(PLAINTEXT))
    assert keys_secret(context, counting_tokens()) is None
    assert all(volume["name"] != "keys" for volume in pod(PLAINTEXT)["volumes"])


def test_a_generated_key_is_256_bits_of_what_the_source_gives() -> None:
    asked: list[int] = []

    def source(size: int) -> str:
        asked.append(size)
        return "ab" * size

    secret = keys_secret(database_context(spec_of_testbed(TDE)), source)
    assert secret is not None
    assert base64.b64decode(secret["data"]["keyfile"]).decode() == f"1;{'ab' * 32}\n"
    assert asked == [32]


def test_a_restart_is_never_made_only_seen() -> None:
    for container in containers(pod(TDE)).values():
        assert "livenessProbe" not in container
        assert "startupProbe" not in container
    context = database_context(spec_of_testbed(TDE))
    assert stateful_set(context)["spec"]["updateStrategy"] == {"type": "OnDelete"}


def test_absent_choices_leave_their_fields_out() -> None:
    usual = database_context(spec_of_testbed(PLAINTEXT))
    context = replace(usual, programs=Programs(usual.programs.operator))
    spec = stateful_set(context)["spec"]["template"]["spec"]
    assert not {"tolerations", "imagePullSecrets"} & set(spec)
    assert spec["nodeSelector"] == {"kubernetes.io/os": "linux"}
    claim = volume_claim(context)
    assert "storageClassName" not in claim["spec"]
