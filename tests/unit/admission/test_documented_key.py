"""A key that a Secrets Store CSI driver writes, as docs/security.md has it, is taken as it is."""

import asyncio
import re
from base64 import b64encode
from pathlib import Path

import pytest
import yaml

from encbench.admission.checks import admit
from encbench.api.kinds import CAMPAIGN
from encbench.api.resources import BY_KIND
from encbench.cli.manifests import Manifests, Offline
from encbench.ports import Body
from tests.revisions import parts
from tests.revisions.parts import SPACE, instance, ours
from tests.unit.admission.campaigns import FULL
from tests.unit.admission.hostile import CAMPAIGN_SPEC

PAGE = Path(__file__).resolve().parents[3] / "docs" / "security.md"
KEY = f"1;{'0a' * 32}"


def synchronised(content: str) -> Body:
    """The Secret that the documented `secretObjects` ask for."""
    (block,) = re.findall(r"```yaml\n(secretObjects:\n.*?)```", PAGE.read_text(), re.DOTALL)
    (wanted,) = yaml.safe_load(block)["secretObjects"]
    (entry,) = wanted["data"]
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": wanted["type"],
        "metadata": {"name": wanted["secretName"], "namespace": SPACE, "labels": wanted["labels"]},
        "data": {entry["key"]: b64encode(content.encode()).decode()},
    }


@pytest.mark.parametrize(("content", "is_key"), [(KEY, True), (f"{KEY}\n", True), ("no", False)])
def test_it_is_accepted_as_it_is(content: str, is_key: bool) -> None:
    secret = synchronised(content)
    name = secret["metadata"]["name"]
    mode = parts.tde(keySecretRef={"name": name, "key": "keyfile"})
    bodies = [
        secret,
        ours("InstanceTemplate", "a", instance("mariadb")),
        ours("EncryptionMode", "mode", mode),
        ours("EncryptionMode", "plain", {}),
        ours("Workload", "load", parts.OLTP),
    ]
    held = {(one["kind"], SPACE, one["metadata"]["name"]): one for one in bodies}
    spec = BY_KIND[CAMPAIGN].spec.model_validate({**CAMPAIGN_SPEC, "blocks": {"min": 4}})
    reader = Offline(Manifests(held))
    _, problems = asyncio.run(admit(reader, SPACE, "study", spec, FULL))  # type: ignore[arg-type]
    assert [f"Secret {name}, entry keyfile" in one.text for one in problems] == [True] * (
        not is_key
    )
