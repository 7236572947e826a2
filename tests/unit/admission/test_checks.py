"""What is wrong with a campaign: which object is to be edited, and the enumerated reason."""

import argparse
import base64
from dataclasses import replace
from typing import Any

import pytest

from encbench.admission import limits
from encbench.admission.gather import Allowed, Installed
from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    WORKLOAD,
    Kind,
)
from encbench.core.problem import Reason
from encbench.kube.labels import CREDENTIALS, KEY, USE
from encbench.ports import Body
from tests.revisions.parts import PEM
from tests.support import certified, choices, manifests
from tests.unit.admission.campaigns import (
    FULL,
    SCRIPT,
    SPACE,
    admitted,
    mode,
    study,
    template,
    workload,
)

BARE = Installed(proxy=False, fuse=False)
EXTERNAL = {
    "engine": "mysql",
    "version": "8.0",
    "external": {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}},
}
Said = tuple[str, str, Reason]


PROXY_TOO_SMALL = (ENCRYPTION_MODE, Reason.MEMORY_TOO_SMALL)
SERVER_TOO_SMALL = (INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL)


CLIENT = {"cpu": "1", "memory": "1Gi"}


def external(**campaign: Any) -> list[Body]:
    return [{**template(), "spec": EXTERNAL}, study(**campaign)]


def secret(name: str, use: str | None = KEY, **data: str) -> Body:
    meta = {"name": name, "namespace": SPACE, "labels": {USE: use} if use else {}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data}


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


COLUMNS = {"method": "confidential", "ratio": 100}
ENCLAVE = {"method": "enclave", "ratio": 75, "enclave": {}}
POINT = {"script": "enclave_point"}
POSTGRESQL = {"engine": "postgresql", "version": "15", "image": "registry.example.com/postgresql"}
OWN_KEY = {"method": "engine", "keySecretRef": {"name": "key", "key": "file"}}
KEY_FILE = f"1;{'0f' * 32}\n"


async def test_what_can_be_carried_out_has_no_problem() -> None:
    assert await admitted() == ()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([study(baselineModeRef="gone")], [("EncryptionMode", "gone", Reason.NOT_FOUND)]),
        (
            [{**template(), "spec": {"engine": "mariadb"}}],
            [("InstanceTemplate", "small", Reason.MALFORMED)],
        ),
        ([workload(sysbench=SCRIPT)], [("ConfigMap", "mine", Reason.NOT_FOUND)]),
        (
            [workload(sysbench=SCRIPT), manifests.config_map("mine", SPACE, other="")],
            [("ConfigMap", "mine", Reason.ENTRY_MISSING)],
        ),
        ([template(version="10.4")], [("InstanceTemplate", "small", Reason.VERSION_UNSUPPORTED)]),
        (
            [mode(atRest={"method": "engine", "scope": ["tables"]})],
            [("EncryptionMode", "enc", Reason.MODE_UNSUPPORTED)],
        ),
        (
            [template(settings={"port": "1", "xyzzy": "1", "sql_mode": "#"})],
            [
                ("InstanceTemplate", "small", Reason.SETTING_RESERVED),
                ("InstanceTemplate", "small", Reason.SETTING_INVALID),
            ],
        ),
        (
            [workload(sysbench={"script": "oltp_read_write", "options": {"xyzzy": "1"}})],
            [("Workload", "oltp", Reason.SETTING_UNKNOWN)],
        ),
        ([mode(driver={"encrypting": {}})], [("EncryptionMode", "enc", Reason.DRIVER_UNSUPPORTED)]),
        (
            [mode(columns={"method": "confidential", "list": ["sbtest.xyzzy"]})],
            [("EncryptionMode", "enc", Reason.COLUMN_UNKNOWN)],
        ),
        (
            [mode(columns=ENCLAVE), workload(sysbench=POINT)],
            [
                ("Workload", "oltp", Reason.MODE_UNSUPPORTED),
                ("EncryptionMode", "enc", Reason.MODE_UNSUPPORTED),
            ],
        ),
        (
            [mode(columns=ENCLAVE), template(**POSTGRESQL)],
            [("EncryptionMode", "enc", Reason.MODE_UNSUPPORTED)],
        ),
        (
            [
                mode(columns={**ENCLAVE, "mekSecretRef": {"name": "key"}}),
                workload(sysbench=POINT),
                template(**POSTGRESQL),
                secret("key", mek=encoded("0f" * 15)),
            ],
            [("Secret", "key", Reason.ENTRY_INVALID)],
        ),
        (
            [mode(atRest={"method": "engine", "keySecretRef": {"name": "key", "key": "file"}})],
            [("Secret", "key", Reason.NOT_FOUND)],
        ),
        (
            [mode(columns={**COLUMNS, "mekSecretRef": {"name": "key"}})],
            [("Secret", "key", Reason.NOT_FOUND)],
        ),
        (
            [mode(columns={**COLUMNS, "mekSecretRef": {"name": "key"}}), secret("key", mek="AAAA")],
            [("Secret", "key", Reason.ENTRY_INVALID)],
        ),
        (
            [mode(atRest=OWN_KEY), secret("key", None, file=encoded(KEY_FILE))],
            [("Secret", "key", Reason.NOT_MARKED)],
        ),
        (
            [mode(atRest=OWN_KEY), secret("key", CREDENTIALS, file=encoded(KEY_FILE))],
            [("Secret", "key", Reason.NOT_MARKED)],
        ),
        (
            [mode(atRest=OWN_KEY), secret("key", file=encoded("hunter2"))],
            [("Secret", "key", Reason.ENTRY_INVALID)],
        ),
        (
            [mode(columns={**COLUMNS, "mekSecretRef": {"name": "key"}}), secret("key", None)],
            [("Secret", "key", Reason.NOT_MARKED)],
        ),
        (
            [*external(), secret("login", KEY, username="Ym9i")],
            [("Secret", "login", Reason.NOT_MARKED)],
        ),
        ([workload(recovery={"stop": "Crash"})], [("Campaign", "study", Reason.RESET_REQUIRED)]),
        (external(), [("Secret", "login", Reason.NOT_FOUND)]),
        (
            [*external(reset="block"), secret("login", CREDENTIALS, username="Ym9i")],
            [
                ("Campaign", "study", Reason.EXTERNAL_UNSUPPORTED),
                ("Secret", "login", Reason.ENTRY_MISSING),
            ],
        ),
        (
            [
                mode(atRest={"method": "volume", "volume": {"storageClassName": "fast"}}),
                template(storage={"size": "1Gi", "className": "fast"}),
            ],
            [
                ("InstanceTemplate", "small", Reason.BASELINE_ENCRYPTED),
                ("StorageClass", "fast", Reason.NOT_FOUND),
            ],
        ),
    ],
)
async def test_each_problem_names_what_to_edit_and_why(
    changed: list[Body], said: list[Said]
) -> None:
    problems = await admitted(*changed)
    assert [(p.kind.kind, p.subject, p.reason) for p in problems] == said


async def test_what_an_installation_lacks_is_asked_of_an_installation_only() -> None:
    fuse = {"method": "volume", "volume": {"gocryptfs": {"cipher": "AES-GCM"}}}
    for changed in (mode(columns=COLUMNS), mode(atRest=fuse)):
        (problem,) = await admitted(changed, installed=BARE)
        found = (problem.kind, problem.subject, problem.reason)
        assert found == (ENCRYPTION_MODE, "enc", Reason.NOT_INSTALLED)
        assert await admitted(changed, installed=FULL) == ()
        assert await admitted(changed, installed=None) == ()
    elsewhere = mode(atRest={"method": "volume", "volume": {"storageClassName": "far"}})
    assert await admitted(elsewhere, installed=None) == ()


@pytest.mark.parametrize(
    ("ratio", "memory", "connections", "told"),
    [
        (0, "32Mi", 512, None),
        (
            0,
            "32Mi",
            513,
            "32Mi does not hold 513 connections, for which the proxy has half of it: write 33Mi or "
            "more, or a lower load.concurrency",
        ),
        (100, "64Mi", 256, None),
        (
            100,
            "64Mi",
            512,
            "64Mi does not hold 512 connections with 2,252 prepared statements each, for which the "
            "proxy has half of it: write 85Mi or more, fewer tables, or a lower load.concurrency",
        ),
    ],
)
async def test_a_proxy_needs_memory_for_its_sessions(
    ratio: int, memory: str, connections: int, told: str | None
) -> None:
    columns = {**COLUMNS, "ratio": ratio, "resources": {"cpu": "1", "memory": memory}}
    many = workload(
        sysbench={"script": "oltp_read_write", "tables": 250},
        load={"concurrency": [1, connections]},
    )
    problems = await admitted(mode(columns=columns), many)
    own = [p.text for p in problems if (p.kind, p.reason) == PROXY_TOO_SMALL]
    begins = "EncryptionMode enc with Workload oltp: columns.resources.memory of"
    assert own == ([] if told is None else [f"{begins} {told}"])


@pytest.mark.parametrize(("types_on", "refused"), [("big", False), ("small", True)])
async def test_a_server_needs_memory_for_its_own_modes_data(types_on: str, refused: bool) -> None:
    """Encrypted types have each process touch more of the pool than plain ones do."""

    def instance(name: str, memory: str, pool: str) -> Body:
        body = template(
            engine="postgresql",
            version="15",
            settings={"shared_buffers": pool},
            resources={"cpu": "4", "memory": memory},
        )
        return {**body, "metadata": {**body["metadata"], "name": name}}

    test = {"script": "enclave_point", "tables": 1, "tableSize": 4_000_000}
    many = workload(sysbench=test, load={"concurrency": [400]}, client={"resources": CLIENT})
    pairs = {"small": "plain", "big": "plain", types_on: "enc"}
    matrix = [
        {"instanceRefs": [name], "modeRefs": [one], "workloadRefs": ["oltp"]}
        for name, one in pairs.items()
    ]
    problems = await admitted(
        instance("small", "4Gi", "2GB"),
        instance("big", "64Gi", "16GB"),
        mode(columns={"method": "enclave", "ratio": 100, "enclave": {}}),
        many,
        study(matrix=matrix),
    )
    own = [p.subject for p in problems if (p.kind, p.reason) == SERVER_TOO_SMALL]
    assert own == ["small"] * refused, problems


async def test_a_claim_with_a_driver_is_looked_up() -> None:
    jar = {"claimName": "jars", "path": "d.jar", "class": "x.D", "urlTemplate": "jdbc:x://{host}"}
    problems = await admitted(mode(driver={"jar": jar}))
    assert (PERSISTENT_VOLUME_CLAIM, "jars", Reason.NOT_FOUND) in [
        (p.kind, p.subject, p.reason) for p in problems
    ]


@pytest.mark.parametrize(("digest", "refused"), [(64 * "0", True), (63 * "0" + "1", False)])
async def test_a_jar_s_digest_is_not_our_campaigns_placeholder(digest: str, refused: bool) -> None:
    place = {"url": "https://drivers.example.com/d.jar", "sha256": digest}
    jar = {**place, "class": "x.D", "urlTemplate": "jdbc:x://{host}"}
    said = " ".join(problem.text for problem in await admitted(mode(driver={"jar": jar})))
    zeros = "EncryptionMode enc: driver.jar.sha256: 64 zeros stand for the digest of your jar"
    assert (zeros in said) is refused


async def test_what_several_modes_share_is_said_once_and_of_all() -> None:
    (problem,) = await admitted(template(settings={"datadir": "/"}))
    assert problem.text.startswith("InstanceTemplate small with EncryptionMode plain, enc: ")
    assert problem.subject == "small"


async def test_an_external_server_is_not_judged_by_what_an_engine_of_ours_can_do() -> None:
    login = secret("login", CREDENTIALS, username="Ym9i", password="Ym9i")
    own = {"concurrency": [2048], "warmup": "10s", "duration": "50s"}
    problems = await admitted(*external(), login, workload(load=own))
    assert [p.kind for p in problems] == [WORKLOAD], "the client's memory alone"


@pytest.mark.parametrize(
    ("engine", "tool", "is_presented"),
    [
        ("mysql", {"sysbench": {"script": "oltp_read_write"}}, True),
        ("mariadb", {"sysbench": {"script": "oltp_read_write"}}, True),
        ("postgresql", {"sysbench": {"script": "oltp_read_write"}}, False),
        ("mysql", {"sysbench": None, "tpcc": {"warehouses": 10}}, False),
        ("postgresql", {"sysbench": None, "tpcc": {"warehouses": 10}}, False),
    ],
)
async def test_a_client_certificate_that_no_client_presents_is_refused(
    engine: str, tool: dict[str, Any], is_presented: bool
) -> None:
    pair = certified.issued().client
    own = {"client.crt": encoded(pair.certificate), "client.key": encoded(pair.key)}
    user = {name: encoded("bob") for name in ("username", "password")}
    far = {**template(), "spec": {**EXTERNAL, "engine": engine}}
    load = workload(**tool)
    assert await admitted(far, load, secret("login", CREDENTIALS, **user)) == ()
    problems = await admitted(far, load, secret("login", CREDENTIALS, **user, **own))
    found = [(p.kind, p.subject, p.reason) for p in problems]
    assert found == ([] if is_presented else [(SECRET, "login", Reason.ENTRY_INVALID)])
    assert is_presented or "only sysbench with MySQL's protocol presents" in problems[0].text
    der = dict.fromkeys(own, "MIH/AA==")
    said = [p.text for p in await admitted(far, load, secret("login", CREDENTIALS, **user, **der))]
    assert len([text for text in said if "is not text: convert it with openssl" in text]) == 2
    assert is_presented or "only sysbench with MySQL's protocol presents" in said[-1]


@pytest.mark.parametrize("long", ["client.crt", "client.key"])
@pytest.mark.parametrize("bad", [False, True])
async def test_a_client_certificate_that_was_cut_is_left_to_the_testbed(
    long: str, bad: bool
) -> None:
    """Certificates before a key, or what openssl prints of one before the certificate."""
    issued = certified.issued().client
    pair = {"client.crt": issued.certificate, "client.key": "no key" if bad else issued.key}
    before = PEM * 80 if long == "client.key" else "Certificate: " * 2_400 + "\n"
    own = {name: encoded(before * (name == long) + text) for name, text in pair.items()}
    user = {name: encoded("bob") for name in ("username", "password")}
    assert await admitted(*external(), secret("login", CREDENTIALS, **user, **own)) == ()


async def test_the_login_has_what_each_mode_needs_and_not_the_last_alone() -> None:
    matrix = {"instanceRefs": ["small"], "modeRefs": ["enc", "off"], "workloadRefs": ["oltp"]}
    modes = [mode(inTransit={}), manifests.body(ENCRYPTION_MODE, "off", SPACE)]
    login = secret("login", CREDENTIALS, username="Ym9i", password="Ym9i")
    (problem,) = await admitted(*external(matrix=[matrix]), *modes, login)
    assert (problem.subject, problem.reason) == ("login", Reason.ENTRY_MISSING)
    assert "the certificate of the server's CA" in problem.text


@pytest.mark.parametrize(
    ("entry", "text", "said"),
    [
        ("ca.crt", "#" * 26_000 + f"\n{PEM}", None),
        ("ca.crt", "#" * 23_000 + f"\n{PEM}" * 10, None),
        ("ca.crt", "#" * 1_000, "has no certificate that can be read"),
        ("password", "#" * 26_000, "is longer than the 200 bytes"),
    ],
)
async def test_of_an_entry_without_a_whole_certificate_in_its_beginning_nothing_is_said(
    entry: str, text: str, said: str | None
) -> None:
    entries = {"username": "bob", "password": "secret", "ca.crt": PEM, entry: text}
    login = secret("login", CREDENTIALS, **{name: encoded(one) for name, one in entries.items()})
    problems = await admitted(*external(), mode(inTransit={}), login)
    assert len(problems) == (said is not None)
    assert all(said is not None and said in problem.text for problem in problems)


async def test_nothing_says_what_an_external_server_reads() -> None:
    login = secret("login", CREDENTIALS, username="Ym9i", password="Ym9i")
    in_memory = workload(maxReadKib=1)
    assert await admitted(in_memory) == ()
    (problem,) = await admitted(*external(), login, in_memory)
    assert (problem.subject, problem.reason) == ("small", Reason.EXTERNAL_UNSUPPORTED)
    assert problem.text.endswith("leave maxReadKib out")


async def test_a_class_is_found_outside_of_any_namespace() -> None:
    there = {"kind": "StorageClass", "metadata": {"name": "far"}}
    elsewhere = mode(atRest={"method": "volume", "volume": {"storageClassName": "far"}})
    assert await admitted(elsewhere, there) == ()


async def test_of_a_secret_that_is_not_marked_nothing_is_said_but_how_to_mark_it() -> None:
    (problem,) = await admitted(*external(), secret("login", None, password="c2VjcmV0"))
    assert problem.text == (
        "InstanceTemplate small: Secret login is not marked for use as a login: kubectl label "
        "secret login --namespace bench encbench.io/use=credentials"
    )


async def test_a_key_of_the_users_that_is_marked_and_well_formed_is_taken() -> None:
    assert await admitted(mode(atRest=OWN_KEY), secret("key", file=encoded(KEY_FILE))) == ()


OURS = Allowed(
    images=tuple(choices.ALLOWED["images"]),
    hosts=tuple(choices.ALLOWED["hosts"]),
    node_labels=tuple(choices.ALLOWED["nodeLabels"]),
    taints=tuple(choices.ALLOWED["taints"]),
    storage_classes=tuple(choices.ALLOWED["storageClasses"]),
)
PARTS = {INSTANCE_TEMPLATE: "small", ENCRYPTION_MODE: "enc", WORKLOAD: "oltp"}


@pytest.mark.parametrize(("kind", "spec", "is_allowed"), choices.CASES)
async def test_only_what_is_on_the_administrators_lists(
    kind: Kind, spec: dict[str, Any], is_allowed: bool
) -> None:
    client = {"image": "docker.io/encbench/sysbench:1.0.20", "resources": CLIENT}
    usual = [template(image=choices.IMAGE), workload(client=client)]
    changed = manifests.body(kind, PARTS[kind], SPACE, **spec)
    for installed, fine in ((replace(FULL, allowed=OURS), is_allowed), (FULL, True)):
        problems = await admitted(*usual, changed, installed=installed)
        found = {(p.kind, p.subject) for p in problems if p.reason is Reason.NOT_ALLOWED}
        assert found == (set() if fine else {(kind, PARTS[kind])})


async def test_the_default_image_and_the_clients_have_to_be_on_the_list_as_well() -> None:
    problems = await admitted(installed=replace(FULL, allowed=OURS))
    assert [(p.kind, p.reason) for p in problems] == [
        (INSTANCE_TEMPLATE, Reason.NOT_ALLOWED),
        (WORKLOAD, Reason.NOT_ALLOWED),
    ]


async def test_digests_where_they_are_demanded() -> None:
    installed = replace(FULL, allowed=Allowed(digests_only=True))
    own = template(image=f"x/mariadb@{choices.DIGEST}")
    (problem,) = await admitted(
        own, workload(client={"image": "x/y:1", "resources": CLIENT}), installed=installed
    )
    assert problem.text.startswith("Workload oltp: image x/y:1 has no digest")
    assert not await admitted(
        own,
        workload(client={"image": f"x@{choices.DIGEST}", "resources": CLIENT}),
        installed=installed,
    )


@pytest.mark.parametrize(("host", "is_allowed"), choices.HOSTS.items())
async def test_only_hosts_of_the_administrators_list(host: str, is_allowed: bool) -> None:
    login = secret("login", CREDENTIALS, username="Ym9i", password="Ym9i")
    far = {**template(), "spec": choices.external(host)}
    installed = replace(FULL, allowed=replace(OURS, images=()))
    problems = await admitted(far, study(), login, installed=installed)
    assert [p.reason for p in problems] == ([] if is_allowed else [Reason.NOT_ALLOWED])


async def test_an_option_may_name_a_host_in_any_case() -> None:
    parser = argparse.ArgumentParser()
    limits.add_options(parser)
    nothing = {"proxy_image": "", "volume_image": "", "turnstile_image": ""}
    parser.set_defaults(**nothing, server_image=[], tool_image=[])
    installed = limits.installed(parser.parse_args(["--allowed-host=DB.Example.com"]))
    login = secret("login", CREDENTIALS, username="Ym9i", password="Ym9i")
    for host, said in (("db.example.com", []), ("x.invalid", [Reason.NOT_ALLOWED])):
        far = {**template(), "spec": choices.external(host)}
        problems = await admitted(far, study(), login, installed=installed)
        assert [p.reason for p in problems] == said


IN_TURNS: dict[str, Any] = {"blocks": {"interleave": {}}}


@pytest.mark.parametrize(
    ("changed", "kind", "why"),
    [
        ([study(**IN_TURNS, residency="OnDemand")], CAMPAIGN, "residency: OnDemand"),
        ([study(**IN_TURNS, cache="Cold")], CAMPAIGN, "cache: Cold"),
        (
            [study(**IN_TURNS), workload(load={"concurrency": [2], "rate": 10})],
            WORKLOAD,
            "at a fixed rate",
        ),
        (
            [study(**IN_TURNS, reset="trial"), workload(recovery={"stop": "Crash"})],
            WORKLOAD,
            "a recovery stops",
        ),
        (external(**IN_TURNS), INSTANCE_TEMPLATE, "one external database"),
    ],
)
async def test_arms_that_cannot_take_turns(changed: list[Body], kind: Any, why: str) -> None:
    problems = [p for p in await admitted(*changed) if p.reason is Reason.NOT_INTERLEAVED]
    assert [problem.kind for problem in problems] == [kind]
    assert why in problems[0].text
    assert problems[0].text.endswith("leave out blocks.interleave")


TPCC: dict[str, Any] = {"warehouses": 2}


def tpcc(load: Body | None = None, **changes: Any) -> Body:
    """A Workload of TPC-C."""
    body = workload(tpcc={**TPCC, **changes}, load=load or {"concurrency": [4]})
    del body["spec"]["sysbench"]
    return body


@pytest.mark.parametrize("one", [workload(), tpcc()], ids=["sysbench", "tpcc"])
async def test_arms_take_turns_with_clients_that_count(one: Body) -> None:
    assert await admitted(study(**IN_TURNS), one) == ()
    (problem,) = await admitted(study(**IN_TURNS), one, installed=BARE)
    assert (problem.subject, problem.reason) == ("study", Reason.NOT_INSTALLED)


WHOLE = {"concurrency": [4], "warmup": "0s", "duration": "1m"}


@pytest.mark.parametrize(
    ("one", "why", "instead"),
    [
        (
            tpcc(WHOLE, benchmarksql={}),
            "BenchmarkSQL counts nothing that can be read at the end of a slice",
            "leave out tpcc.benchmarksql and client.image to use encbench's own client",
        ),
        (
            tpcc(limitTxnsPerMin=600),
            "under limitTxnsPerMin all terminals begin at once in every slice",
            "leave out tpcc.limitTxnsPerMin",
        ),
        (
            workload(load={"concurrency": [4], "rate": 100}),
            "at a fixed rate transactions queue up while a client is stopped",
            "leave out blocks.interleave",
        ),
        (
            workload(load={"concurrency": [4], "warmup": "0s"}),
            "load.warmup: 0s leaves the clients no time to connect",
            "write load.warmup: 10s",
        ),
    ],
    ids=["benchmarksql", "limit", "rate", "no-warmup"],
)
async def test_arms_do_not_take_turns_with_other_clients(one: Body, why: str, instead: str) -> None:
    assert await admitted(one) == ()
    (problem,) = await admitted(study(**IN_TURNS), one)
    found = (problem.kind, problem.subject, problem.reason)
    assert found == (WORKLOAD, "oltp", Reason.NOT_INTERLEAVED)
    assert problem.text.startswith(f"Workload oltp: {why}, so ")
    assert instead in problem.text
    assert problem.text.endswith("leave out blocks.interleave")


EVENTS = """
sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}
function prepare() end
function event() end
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [("", []), ("function thread_run(id) end", [(WORKLOAD, "oltp", Reason.NOT_INTERLEAVED)])],
)
async def test_arms_do_not_take_turns_with_a_loop_of_the_script_s_own(
    more: str, found: list[Any]
) -> None:
    mine = manifests.config_map("mine", SPACE, **{"mine.lua": EVENTS + more})
    one = workload(sysbench={**SCRIPT, "tables": 1, "tableSize": 100})
    assert await admitted(one, mine) == ()
    problems = await admitted(study(**IN_TURNS), one, mine)
    assert [(p.kind, p.subject, p.reason) for p in problems] == found


def pinned(node: str) -> Body:
    return {"placement": {"nodeSelector": {"kubernetes.io/hostname": node}}}


def two_cells(parallelism: int) -> list[Body]:
    """One workload on two instances."""
    matrix = [{"instanceRefs": ["small", "big"], "modeRefs": ["enc"], "workloadRefs": ["oltp"]}]
    other = manifests.body(INSTANCE_TEMPLATE, "big", SPACE)
    return [study(matrix=matrix, parallelism=parallelism), other]


def big(**spec: Any) -> Body:
    return manifests.body(INSTANCE_TEMPLATE, "big", SPACE, **spec)


@pytest.mark.parametrize(
    "changed",
    [
        [],
        [template(**pinned("n1")), big(**pinned("n2"))],
        [template(**pinned("n1"))],
        [workload(client={"resources": CLIENT, "placement": {"nodeSelector": {"pool": "a"}}})],
    ],
    ids=["free", "apart", "one-bound", "a-pool"],
)
async def test_cells_that_may_have_nodes_of_their_own(changed: list[Body]) -> None:
    assert await admitted(*two_cells(2), *changed) == ()


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            [study(parallelism=2)],
            "parallelism 2: the matrix has 1 cell (an instance with a dataset), and within a cell "
            "one trial runs at a time: leave parallelism out",
        ),
        (
            two_cells(3),
            "parallelism 3: the matrix has 2 cells (an instance with a dataset), and within a cell "
            "one trial runs at a time: write 2 or less",
        ),
        (
            [*two_cells(2), {**template(), "spec": EXTERNAL}],
            "parallelism 2: encbench does not know the machine of the external database of "
            "InstanceTemplate small, so nothing may be measured beside it: leave parallelism out",
        ),
        (
            [*two_cells(2), template(**pinned("n1")), big(**pinned("n1"))],
            "parallelism 2: nodeSelectors bind databases to n1 (kubernetes.io/hostname), and cells "
            "do not share a node: leave parallelism out",
        ),
        (
            [*two_cells(2), workload(client={"resources": CLIENT, **pinned("n9")})],
            "parallelism 2: nodeSelectors bind clients to n9 (kubernetes.io/hostname), and cells "
            "do not share a node: leave parallelism out",
        ),
    ],
    ids=["one-cell", "too-few", "external", "databases", "clients"],
)
async def test_a_parallelism_that_no_nodes_could_give(changed: list[Body], text: str) -> None:
    problems = [p for p in await admitted(*changed) if p.reason is Reason.NOT_SIDE_BY_SIDE]
    assert [(p.kind, p.subject, p.text) for p in problems] == [(CAMPAIGN, "study", text)]


@pytest.mark.parametrize("value", ["ON", "on", "1"])
async def test_a_cold_server_reads_no_pool_back(value: str) -> None:
    warm = template(settings={"innodb_buffer_pool_load_at_startup": value})
    assert await admitted(warm) == ()
    (problem,) = await admitted(warm, study(cache="Cold"))
    assert (problem.kind, problem.subject) == (INSTANCE_TEMPLATE, "small")
    assert problem.reason is Reason.SETTING_INVALID
    assert problem.text == (
        "InstanceTemplate small: settings.innodb_buffer_pool_load_at_startup has the server read "
        "its old pool back at each start, and cache: Cold begins with an empty one: leave out "
        "either"
    )


async def test_a_cold_server_may_say_that_it_reads_no_pool_back() -> None:
    empty = template(settings={"innodb_buffer_pool_load_at_startup": "OFF"})
    assert await admitted(empty, study(cache="Cold")) == ()
