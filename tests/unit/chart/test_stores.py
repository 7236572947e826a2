"""The values of docs/stores.md, and the files that it offers."""

import json
import re
from typing import Any

import pytest
import yaml

from tests.cluster.binaries import required_version
from tests.support import versity
from tests.support.chart import CHART, REPO, render
from tests.support.stores import PROGRAMS, TOKENS

TOOLS = REPO / "tests" / "cluster" / "tools"
PAGE = (REPO / "docs" / "stores.md").read_text(encoding="utf-8")
VALUES = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
OVERLAY = yaml.safe_load((CHART / "versitygw.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "values", VALUES, ids=lambda one: one["objectStore"]["external"]["endpoint"]
)
def test_the_operator_is_given_the_store(values: dict[str, Any]) -> None:
    rendered = render(values)
    (container,) = rendered.one("Deployment", "operator")["spec"]["template"]["spec"]["containers"]
    external = values["objectStore"]["external"]
    assert f"--s3-endpoint={external['endpoint']}" in container["args"]
    assert f"--s3-bucket={external['bucket']}" in container["args"]
    assert not rendered.all("StatefulSet", "minio")


def test_the_page_has_the_values_of_the_chart_s_own_file() -> None:
    assert OVERLAY in VALUES


def test_the_values_name_what_the_manifest_makes() -> None:
    external, made = OVERLAY["objectStore"]["external"], versity.documented()
    (port,) = made["Service/versitygw"]["spec"]["ports"]
    assert external["endpoint"] == f"http://versitygw.encbench.svc:{port['port']}"
    accounts = json.loads(made["Secret/versitygw-users"]["stringData"]["users.json"])
    listed = accounts["accessAccounts"]
    for secret in (external["existingSecret"], external["readerSecret"]):
        login = made[f"Secret/{secret}"]["stringData"]
        assert listed[login["access-key"]]["secret"] == login["secret-key"]
    assert listed.keys() == {versity.OPERATOR, versity.ANALYST}
    assert {one["role"] for one in listed.values()} == {"user"}


def test_the_policy_names_the_same_users_and_the_bucket() -> None:
    bucket = f"arn:aws:s3:::{OVERLAY['objectStore']['external']['bucket']}"
    statements = json.loads(versity.POLICY.read_text(encoding="utf-8"))["Statement"]
    named = {name for one in statements for name in one["Principal"]["AWS"]}
    assert named == {versity.OPERATOR, versity.ANALYST}
    places = {place for one in statements for place in one["Resource"]}
    assert places == {bucket, f"{bucket}/*"}


def test_the_version_is_the_one_that_the_tests_run() -> None:
    version = required_version(TOOLS / "versitygw" / "go.mod", "github.com/versity/versitygw")
    pod = versity.documented()["Deployment/versitygw"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == f"ghcr.io/versity/versitygw:{version}"
    assert f"Versity S3 Gateway {version.removeprefix('v')} |" in PAGE
    minio = required_version(TOOLS / "minio" / "go.mod", "github.com/minio/minio")
    assert f"`{minio}`" in PAGE


def test_the_page_says_what_a_store_lacks() -> None:
    (row,) = re.findall(rf"(?m)^\| {TOKENS} \|(.*)\|$", PAGE)
    cells = [cell.strip() for cell in row.split("|")]
    assert len(cells) == len(PROGRAMS)
    for cell, program in zip(cells, PROGRAMS.values(), strict=True):
        assert cell.startswith("no" if TOKENS in program.lacks else "yes"), program.name
