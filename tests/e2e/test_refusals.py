"""A user's mistake gets one clear sentence, at `kubectl apply` where one object shows it."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions, delete_campaign, ended
from tests.e2e.refusals import Refusal, applied, assert_refused, refused
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, Kube, wait_for

LACKING: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = {
    "mysql-scope": (
        {"engine": "mysql", "version": "8.4"},
        {"atRest": {"method": "engine", "scope": ["tables", "temporary"]}},
        (
            "atRest.scope: leave temporary out",
            "can encrypt only tables, system, redo, undo, binlog",
        ),
    ),
    "mariadb-scope": (
        {},
        {"atRest": {"method": "engine", "scope": ["tables"]}},
        ("atRest.scope: leave it out", "only MySQL and Percona Server can encrypt a part"),
    ),
    "postgresql-tde": (
        {"engine": "postgresql", "version": "15", "settings": {}},
        {"atRest": {"method": "engine"}},
        ("write atRest.method: volume",),
    ),
    "postgresql-settings": (
        {
            "engine": "postgresql",
            "version": "15",
            "settings": {"include": "more.conf", "shared_buffers": "4GB"},
        },
        {"inTransit": {}},
        ("settings.include belongs to the operator", "settings.shared_buffers of 4GB leaves"),
    ),
    "percona-pool": (
        {
            "engine": "percona",
            "version": "8.0",
            "resources": {"cpu": "250m", "memory": "1Gi"},
            "settings": {"innodb_buffer_pool_size": "4G"},
        },
        {"inTransit": {}},
        ("settings.innodb_buffer_pool_size of 4G leaves", "or raise resources.memory"),
    ),
    "mysql-settings": (
        {"engine": "mysql", "version": "8.4", "settings": {"innodb_buffer_pool_siz": "64M"}},
        {"inTransit": {}},
        ("settings.innodb_buffer_pool_siz: write innodb_buffer_pool_size in full",),
    ),
    "mysql-too-old": (
        {"engine": "mysql", "version": "5.7"},
        {"inTransit": {"version": "TLSv1.3"}},
        ("MySQL 5.7 has no TLS 1.3: write inTransit.version: TLSv1.2",),
    ),
}
"""By name: instance and mode of which the engine lacks something, and what the message says."""


def _of(
    name: str, mode: str, says: tuple[str, ...], *parts: dict[str, Any], **refs: str
) -> Refusal:
    """A campaign of that name and mode; `refs` take the place of the usual instance, workload."""
    campaign = manifests.campaign(name, [mode])
    campaign["spec"]["matrix"][0] |= {f"{kind}Refs": [ref] for kind, ref in refs.items()}
    return Refusal(campaign, says, parts)


EXTERNAL = {
    "engine": "mariadb",
    "version": "10.11",
    "external": {
        "host": "db.example.com",
        "database": "benchmark",
        "credentialsSecretRef": {"name": "absent"},
    },
}
REFUSED = {
    "mode-that-is-not-there": _of(
        "no-mode",
        "no-such-mode",
        ("there is no EncryptionMode no-such-mode", "apply it, or correct the name"),
    ),
    "pool-that-does-not-fit-and-setting-of-the-modes": _of(
        "bad-settings",
        "tde",
        ("innodb_buffer_pool_size", "innodb_encrypt_tables"),
        manifests.instance(
            "too-large", settings={"innodb_buffer_pool_size": "4G", "innodb_encrypt_tables": "ON"}
        ),
        instance="too-large",
    ),
    "external-without-its-secret": _of(
        "no-secret",
        "over-tls",
        ("there is no Secret absent",),
        manifests.manifest("InstanceTemplate", "no-secret", EXTERNAL),
        manifests.mode("over-tls", inTransit={}),
        instance="no-secret",
    ),
    "more-clients-than-memory-holds": _of(
        "crowd",
        "tde",
        (
            "resources.memory of 384Mi does not hold 2,048 connections",
            "client.resources.memory of 64Mi does not hold 2,048 connections",
        ),
        manifests.workload("crowd", load={"concurrency": [1, 2048]}),
        workload="crowd",
    ),
    "unknown-option-of-sysbench": _of(
        "bad-option",
        "tde",
        ("range-sise",),
        manifests.workload("bad-option", sysbench={"options": {"range-sise": "10"}}),
        workload="bad-option",
    ),
    **{
        case: _of(
            f"lacks-{case}",
            f"lacks-{case}",
            says,
            manifests.instance(f"lacks-{case}", **fields),
            manifests.mode(f"lacks-{case}", **mode),
            instance=f"lacks-{case}",
        )
        for case, (fields, mode, says) in LACKING.items()
    },
}


@pytest.fixture(scope="module")
def refusals(installed: Kube) -> Iterator[dict[str, Refusal]]:
    """All of them, applied."""
    with applied(installed, REFUSED):
        yield REFUSED


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_with_advice(
    installed: Kube, refusals: dict[str, Refusal], case: str
) -> None:
    assert_refused(installed, refusals[case])


def test_an_external_database_that_names_no_secret(installed: Kube) -> None:
    external = {"host": "db.example.com", "database": "benchmark"}
    with pytest.raises(CommandFailed, match="credentialsSecretRef"):
        installed.apply(
            manifests.manifest("InstanceTemplate", "none", {**EXTERNAL, "external": external})
        )


def test_settings_that_the_server_refuses_are_named(installed: Kube, start: Start) -> None:
    """Unknown settings are left to the server's own validation."""
    wrong = {"innodb_bufer_pool_size": "64M", "sort_buffer_size": "banana"}
    installed.apply(manifests.instance("mistyped", settings=wrong))
    campaign = manifests.campaign("mistyped", ["tde"])
    campaign["spec"]["matrix"][0]["instanceRefs"] = ["mistyped"]
    name = start(campaign)
    body = wait_for("the campaign's end", lambda: ended(installed, name), 60)
    message = conditions(body)["Failed"]["message"]
    assert "SettingsRefused: the server refuses settings." in message
    for setting in wrong:
        assert f"settings.{setting}" in message
    assert "banana" not in message, "nothing of the server's own text"


def test_a_refused_campaign_starts_once_its_parts_are_corrected(
    installed: Kube, start: Start
) -> None:
    # An earlier run on this cluster may have left it.
    installed.kubectl(
        "delete", "encryptionmode", "later", f"--namespace={NAMESPACE}", "--ignore-not-found"
    )
    name = start(manifests.campaign("mended", ["later"], suspend=True))
    assert "later" in refused(installed, name)
    installed.apply(manifests.mode("later"))

    def accepted() -> bool:
        body = installed.get("campaign", name, NAMESPACE)
        return conditions(body or {}).get("Accepted", {}).get("status") == "True"

    wait_for("the acceptance", accepted, 30)


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ({"blocks": {"min": 9}}, "a new campaign"),
        ({"margin": 0.2}, "a new campaign"),
        ({"seed": 99}, "a new campaign"),
    ],
    ids=["blocks", "margin", "seed"],
)
def test_a_changed_plan_is_refused_at_apply(
    installed: Kube, start: Start, spec: dict[str, Any], advice: str
) -> None:
    start(manifests.campaign("fixed", ["tde"], suspend=True))
    with pytest.raises(CommandFailed, match=advice):
        installed.apply(manifests.campaign("fixed", ["tde"], suspend=True, **spec))


@pytest.fixture(scope="module")
def failing(installed: Kube) -> Iterator[dict[str, str]]:
    """Campaigns that end without a trial, side by side, and with which message, by name."""
    script = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "failing-script", "namespace": NAMESPACE},
        "data": {
            "failing.lua": "sysbench.cmdline.options = {tables = {'', 1}, table_size = {'', 1}}\n"
            "function prepare() error('the disk of the moon is full') end\n"
            "function cleanup() end\n"
            "function thread_init() end\n"
            "function event() end\n"
        },
    }
    ref = {"name": "failing-script", "key": "failing.lua"}
    installed.apply(
        manifests.instance("no-image", image="docker.io/encbench/absent:1"),
        manifests.instance("too-big", resources={"cpu": "64", "memory": "384Mi"}),
        script,
        manifests.workload("failing-load", sysbench={"scriptConfigMapRef": ref}),
    )
    names = {
        "no-image": {"instanceRefs": ["no-image"]},
        "too-big": {"instanceRefs": ["too-big"]},
        "failing-load": {"workloadRefs": ["failing-load"]},
    }
    for name, refs in names.items():
        deadlines = {} if name == "failing-load" else {"stepDeadlines": {"provision": "30s"}}
        campaign = manifests.campaign(name, ["plaintext"], **deadlines)
        campaign["spec"]["matrix"][0] |= refs
        installed.apply(campaign)
    try:
        yield {
            name: wait_for(f"the end of {name}", partial(_failure, installed, name), 180)
            for name in names
        }
    finally:
        for name in names:
            delete_campaign(installed, name)


def test_an_image_that_cannot_be_pulled_ends_with_the_reason(failing: dict[str, str]) -> None:
    assert "ImagePullFailed" in failing["no-image"]
    assert "absent:1" in failing["no-image"]


def test_a_pod_that_fits_no_node_ends_with_the_reason(failing: dict[str, str]) -> None:
    assert "Insufficient cpu" in failing["too-big"]


def test_a_load_that_fails_ends_with_where_the_tools_own_words_are(
    installed: Kube, failing: dict[str, str]
) -> None:
    """What a container writes may contain a secret, so that no status has it."""
    assert "moon" not in failing["failing-load"]
    advice = re.search(r"kubectl (logs \S+ -c tool) says why", failing["failing-load"])
    assert advice is not None, failing["failing-load"]
    said = installed.kubectl(*advice[1].split(), f"--namespace={NAMESPACE}")
    assert "the disk of the moon is full" in said


def _failure(kube: Kube, name: str) -> str | None:
    body = kube.get("campaign", name, NAMESPACE)
    fact = conditions(body or {}).get("Failed", {})
    return str(fact["message"]) if fact.get("status") == "True" else None
