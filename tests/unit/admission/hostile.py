"""What an author may write, made into what the operator would make of it; and that it is harmless.

The whole texts of the real builders are looked at as their readers will: the kubelet, which expands
`$(NAME)`; `sh -c`, which gets scripts of ours and the author's words as arguments; Java's
Properties; the servers' files of settings.
"""

import asyncio
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from encbench.admission.checks import admit
from encbench.admission.gather import CampaignParts
from encbench.api.kinds import CAMPAIGN
from encbench.api.resources import BY_KIND, RESOURCES, problems
from encbench.cli.manifests import Manifests, Offline
from encbench.core.plan import PlannedTrial, cells
from encbench.core.problem import Problem
from encbench.database.connection import connection, loading
from encbench.kube.labels import CREDENTIALS, owner_reference
from encbench.kube.pods import Image, Programs
from encbench.reconcile import objects
from encbench.reconcile.campaign import children as planned
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.registry import tool
from tests.revisions import parts
from tests.revisions.parts import SPACE, Body, columns, external, instance, ours, secret
from tests.unit.admission.campaigns import FULL
from tests.unit.engines import rendering

SHELLS = ("sh", "-c")
_EXPANDED = re.compile(r"\$(\$|\([^()]*\))")
_BY_NAME = {resource.kind.kind: resource.kind for resource in RESOURCES}

SECRETS = (
    *parts.KEYS,
    parts.SCRIPTS,
    parts.CLAIM,
    parts.CLASS,
    secret("rds", CREDENTIALS, **parts.LOGIN, **{"ca.crt": parts.PEM}),
)
CAMPAIGN_SPEC: Body = {
    "matrix": [{"instanceRefs": ["a"], "modeRefs": ["mode"], "workloadRefs": ["load"]}],
    "baselineModeRef": "plain",
    "blocks": {"min": 4, "interleave": {"slice": "3s", "settle": "500ms"}},
    "stepDeadlines": {"provision": "5m", "overrun": "2m"},
}
SETTINGS = {"innodb_flush_method": "O_DIRECT", "sql_mode": "ANSI"}
MINE = {**parts.OWN_SCRIPT, "load": {**parts.LOAD, "rate": 10}}
ON_A_CLAIM = {**parts.WITH_KEY, "claimName": "drivers", "path": "a/d.jar"}
FROM_A_URL = {**parts.JAR, "url": "https://example.com/d.jar", "sha256": "ab" * 32}
KEYED = {"keySecretRef": {"name": "mek", "key": "mek"}}
TPCC = {
    **parts.TPCC_FULL["tpcc"],
    "driver": "org.mariadb.jdbc.Driver",
    "options": {"deadlineSeconds": "5"},
}

SCENARIOS: Mapping[str, tuple[Body, Body, Body]] = {
    "sysbench": (
        instance("mariadb", **{**parts.FULL, "settings": SETTINGS}),
        {**parts.tde(keySecretRef={"name": "tde", "key": "keyfile"}), "inTransit": {}},
        parts.SEVERAL,
    ),
    "enclave": (
        instance("postgresql", **{**parts.FULL, "settings": {"work_mem": "8MB"}}),
        {
            "columns": {
                **{"method": "enclave", "ratio": 75, "mekSecretRef": {"name": "mek", "key": "mek"}},
                "enclave": {"transition": "8us", "value": "1200ns", "index": "Single"},
            }
        },
        {**parts.OLTP, "sysbench": {"script": "enclave_point", "tables": 1, "tableSize": 1000}},
    ),
    "tpcc": (
        instance("mysql", settings={"innodb_log_buffer_size": "16M"}),
        {"driver": {"jar": {**ON_A_CLAIM, **KEYED}}},
        {**parts.TPCC_FULL, "tpcc": TPCC},
    ),
    "columns": (
        instance("mysql"),
        {**columns(list=["bmsql_item.i_price"]), "driver": {"encrypting": {}}},
        {**parts.TPCC_FULL, "tpcc": {"warehouses": 3, "urlParameters": {"connectTimeout": "5"}}},
    ),
    "benchmarksql": (
        instance("mysql"),
        {"driver": {"jar": FROM_A_URL}},
        {
            **parts.BENCHMARKSQL["benchmarksql6"],
            "tpcc": {
                **parts.BENCHMARKSQL["benchmarksql6"]["tpcc"],
                "benchmarksql": {"home": "/opt/bmsql", "loadImage": "tpcc:1"},
            },
        },
    ),
    "external": (
        external("mariadb", databaseCpuQuery='cpu_seconds_total{instance="db"}', cpu="4"),
        {"inTransit": {"version": "TLSv1.3"}},
        MINE,
    ),
    "volume": (instance("mariadb"), parts.volume(storageClassName="encrypted"), parts.SEVERAL),
}
"""Instance, mode and workload, with as many texts of the author's as go together."""
IN_TURNS = ("enclave", "columns")
"""Scenarios whose clients can take turns."""


def manifests(scenario: str) -> dict[str, Body]:
    """The objects that an author writes, by kind."""
    own, mode, workload = SCENARIOS[scenario]
    spec = dict(CAMPAIGN_SPEC)
    if scenario not in IN_TURNS:
        spec["blocks"] = {"min": 4}
    return {
        "InstanceTemplate": ours("InstanceTemplate", "a", own),
        "EncryptionMode": ours("EncryptionMode", "mode", mode),
        "Workload": ours("Workload", "load", workload),
        "Campaign": ours("Campaign", "study", spec),
    }


def refusals(body: Body) -> list[str]:
    """What `kubectl apply` would say."""
    return problems(_BY_NAME[body["kind"]], body)


def admitted(applied: Mapping[str, Body]) -> tuple[CampaignParts, tuple[Problem, ...]]:
    """What the operator's admission says of the campaign."""
    plain = ours("EncryptionMode", "plain", {})
    held = {
        (one["kind"], "" if one is parts.CLASS else SPACE, one["metadata"]["name"]): one
        for one in (*applied.values(), plain, *SECRETS)
    }
    spec = BY_KIND[CAMPAIGN].spec.model_validate(applied["Campaign"]["spec"])
    offline = Offline(Manifests(held))
    return asyncio.run(admit(offline, SPACE, "study", spec, FULL))  # type: ignore[arg-type]


def children(applied: Mapping[str, Body], found: CampaignParts) -> list[Body]:
    """Everything that the operator would make of the mode under test."""
    meta = {**applied["Campaign"]["metadata"], "uid": "c0ffee00-0000-4000-8000-000000000001"}
    campaign = objects.campaign({**applied["Campaign"], "metadata": meta})
    resolved = found.freeze({})
    cell = cells(campaign.spec, resolved.workloads)[0]
    arm = next(arm for arm in cell.arms if arm.name == "mode")
    plan = planned.CellPlan(campaign, resolved, cell)
    body = planned.testbed(plan, arm)
    owner = owner_reference(CAMPAIGN, "study", meta["uid"])
    bed = objects.testbed({**body, "metadata": {**body["metadata"], "uid": "uid"}})
    level = cell.conditions[0]
    turns = None if campaign.spec.blocks.interleave is None else 1
    trial = PlannedTrial(
        cell.name,
        level,
        block=1,
        order=1,
        arm=arm,
        seed=1,
        seat=arm,
        generation=1,
        turns_seed=turns,
    )
    job = objects.trial(_with_uid(planned.trial(plan, trial, bed)))
    programs = Programs(Image("sidecar:1"), turnstile=Image("turnstile:1"))
    load = LoadContext(
        *(bed.name, SPACE, owner, bed.spec, loading(bed.name, bed.spec), "login"), programs
    )
    client = TrialContext(
        *(job.name, SPACE, owner, job.spec, connection(bed.name, bed.spec), "login"),
        *(programs, "http://store.invalid/encbench"),
    )
    driven = tool(job.spec.workload)
    database = [] if bed.spec.instance.is_external else rendering.children(bed.spec)
    return [body, *database, driven.load_job(load), driven.trial_job(client)]


def _with_uid(body: Body) -> Body:
    return {**body, "metadata": {**body["metadata"], "uid": "uid"}}


def assert_harmless(made: Sequence[Body], usual: Sequence[Body], text: str) -> None:
    """The author's text is data wherever it stands; `usual` is what an ordinary text leads to."""
    assert skeleton(made) == skeleton(usual), "a text must not add keys or items"
    for one, other in zip(made, usual, strict=True):
        for container, before in zip(_containers(one), _containers(other), strict=True):
            _command(container.get("command", []), before.get("command", []), text)
            _environment(_env(container), _env(before), text)
        _files(one, other, text)


def skeleton(value: Any) -> Any:
    """Keys and items without their texts; keys that authors choose are in maps of labels alone."""
    if isinstance(value, dict):
        return {key: skeleton(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [skeleton(one) for one in value]
    return type(value)


def _containers(body: Body) -> Iterator[Body]:
    spec = body.get("spec", {}).get("template", {}).get("spec", {})
    yield from (*spec.get("initContainers", []), *spec.get("containers", []))


def expanded(text: str) -> str:
    """As the kubelet passes it on; it must find no variable to replace."""

    def one(found: re.Match[str]) -> str:
        assert found[1] == "$", f"the kubelet would replace {found[0]}"
        return "$"

    return _EXPANDED.sub(one, text)


def _command(words: list[str], usual: list[str], text: str) -> None:
    assert len(words) == len(usual)
    for place, word in enumerate(words):
        said = expanded(word)
        if tuple(words[max(0, place - 2) : place]) == SHELLS:
            assert word == usual[place], "a script of ours holds a text of the author's"
        elif said != expanded(usual[place]):
            whole = said in (text, text.lower()) or said.endswith((f"={text}", f"/{text}"))
            assert whole, f"{said!r} is more than one word of the author's"


def _env(container: Body) -> dict[str, str]:
    return {one["name"]: expanded(one["value"]) for one in container.get("env", [])}


def _environment(values: Mapping[str, str], usual: Mapping[str, str], text: str) -> None:
    assert values.keys() == usual.keys()
    for name, value in values.items():
        if value == usual[name]:
            continue
        assert not name.startswith("ENCBENCH_REPLICA_"), "these words are split by a shell"
        if name == "ENCBENCH_PROPS":
            _props(properties(value), properties(usual[name]), text)
        else:
            assert "\n" not in value
            assert text in value


def _props(props: Mapping[str, str], usual: Mapping[str, str], text: str) -> None:
    assert props.keys() == usual.keys(), "a value must not add a property"
    for name, value in props.items():
        if value == usual[name]:
            continue
        if name == "conn":
            assert parameters(value).keys() == parameters(usual[name]).keys()
            assert text in parameters(value).values() or value.partition("?")[0].count(text)
        else:
            assert value == text


def parameters(url: str) -> dict[str, str]:
    """Those of a JDBC URL."""
    pairs = (pair.partition("=") for pair in url.partition("?")[2].split("&"))
    return {name: value for name, _, value in pairs}


def properties(text: str) -> dict[str, str]:
    """A props file, as java.util.Properties reads it."""
    found = {}
    for line in re.split(r"\r\n|\n|\r", text):
        if not line.lstrip(" \t\f") or line.lstrip(" \t\f")[0] in "#!":
            continue
        assert not re.search(r"(?<!\\)(\\\\)*\\$", line), "the next line would belong to it"
        name, _, value = line.partition("=")
        found[name] = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _escape, value.lstrip(" \t\f"))
    return found


def _escape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(code, code)


def quoted(text: str) -> str:
    """As PostgreSQL's file of settings has it within quotes."""
    return text.replace("\\", "\\\\").replace("'", "''")


def _files(body: Body, usual: Body, text: str) -> None:
    """Files of settings: as many lines as ever, and the text behind a name on one of them."""
    plain = body["kind"] != "Secret"
    for name, content in (body.get("data") or {}).items():
        before = usual["data"][name]
        if content == before:
            continue
        now, then = (one if plain else b64decode(one).decode() for one in (content, before))
        lines, old = now.split("\n"), then.split("\n")
        assert len(lines) == len(old), f"{name} has got other lines"
        for line, ordinary in zip(lines, old, strict=True):
            if line != ordinary:
                assert line.partition("=")[0].strip() == ordinary.partition("=")[0].strip()
                assert "#" not in line or line.rstrip().endswith("'"), "the rest is a comment"
                follows = re.fullmatch(r"[\w.]*", line.partition("=")[2].strip())
                assert follows or quoted(text) in line or text in line, f"{line!r} is another text"
