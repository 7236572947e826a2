"""External databases: no pod of ours, one dataset for all arms, and what can be known of them."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from encbench.admission.images import TOOLS
from encbench.api.conditions import find, is_true
from encbench.api.kinds import (
    CONFIG_MAP,
    JOB,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SECRET,
    SERVICE,
    STATEFUL_SET,
    TESTBED,
)
from encbench.core.problem import Reason
from encbench.core.tls import PLAIN
from encbench.kube.labels import COMPONENT
from encbench.kube.secrets import entry
from encbench.ports import Body, Rejected, Series, SeriesSource
from encbench.reconcile.objects import Trial
from tests.revisions.parts import PEM
from tests.support.fake_metrics import FakeMetrics
from tests.support.testbeds import TDE, TLS12
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.external import (
    ALL,
    LOGIN,
    PAIR,
    beds,
    records,
    secret,
    template,
    world_with,
)
from tests.unit.reconcile.killing import killed_everywhere, run
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.timeline import START
from tests.unit.reconcile.world import SPACE, World, study, tpcc_parts

KEY = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"
QUERY = 'rds_cpu_seconds_total{instance="rds-1"}'


def refusal(world: World) -> str:
    fact = find(world.campaign().status.conditions, "Accepted")
    assert fact is not None
    assert fact.status == "False" and fact.reason in set(Reason)
    assert not world.cluster.all(TESTBED), "nothing is made"
    return fact.message


# -- a whole campaign


async def test_a_campaign_over_it_makes_no_database_and_ends_with_a_report() -> None:
    world = world_with()
    world.apply(study("tls"))
    await world.run(world.ended)
    await world.settle()
    assert is_true(world.campaign().status.conditions, "Complete")
    made = {kind for kind, _ in world.cluster.created}
    unwanted = {STATEFUL_SET, SERVICE, PERSISTENT_VOLUME_CLAIM, CONFIG_MAP}
    assert not made & {kind.kind for kind in unwanted}
    pods = [
        b for b in world.latest(POD.kind, "") if b["metadata"]["labels"][COMPONENT] == "database"
    ]
    assert pods == []
    assert_sound(world)
    by_block: dict[int, set[int]] = {}
    for trial in world.trials():
        by_block.setdefault(trial.spec.block, set()).add(trial.spec.seed)
    assert {len(seeds) for seeds in by_block.values()} == {3}, "no arm deletes another's rows"
    assert leftovers(world) == {(SECRET.kind, "rds")}, "the user's own, and nothing of ours"
    rows = report(world).status.rows
    assert {row.arm for row in rows} == {"plain", "plain-control", "tls"}
    assert all(row.tps is not None for row in rows)
    assert all(row.database_cpu_percent is None for row in rows)


@pytest.mark.parametrize("seed", [1, 4, 6])
async def test_one_arm_loads_for_all_and_before_the_others_exist(seed: int) -> None:
    """The order in which testbeds are built is not drawn here."""
    world = world_with()
    world.apply(study("tls", blocks=1, seed=seed))
    await world.run(world.ended)
    loads = [name for kind, name in world.cluster.created if kind == JOB.kind and "-load" in name]
    assert len(loads) == 1
    assert loads[0].endswith("-plain-load")
    order = [name for kind, name in world.cluster.created if kind in (TESTBED.kind, JOB.kind)]
    assert order.index(loads[0]) < min(
        n for n, name in enumerate(order) if name.endswith(("-plain-control", "-tls"))
    )


async def test_testbeds_that_are_built_anew_load_anew() -> None:
    world = world_with()
    again = {"min": 4, "maxReplacements": 0, "perTestbed": 1}
    world.apply(study("plain", blocks=again))
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")
    loads = [name for kind, name in world.cluster.created if kind == JOB.kind and "-load" in name]
    assert len(loads) == 4


async def test_clients_are_given_the_users_own_login_and_certificates() -> None:
    world = world_with()
    world.apply(study("tls", blocks=1))
    await world.run(world.running())
    trial = world.latest(JOB.kind, "")[-1]
    words = trial["spec"]["template"]["spec"]["containers"][0]["command"]
    assert "--mysql-host=rds.example.com" in words
    assert "--mysql-port=3307" in words
    assert "--mysql-db=benchmark" in words
    for bed in world.cluster.all(TESTBED, SPACE):
        own = world.cluster.one(SECRET, SPACE, f"{bed['metadata']['name']}-credentials")
        expected = f'mysql-user="bench"\nmysql-password="{LOGIN["password"]}"\n'
        assert entry(own, "sysbench.conf") == expected
        assert {name: entry(own, name) for name in ALL} == ALL
        assert entry(own, "recorder-token")
        assert own["metadata"]["ownerReferences"][0]["uid"] == bed["metadata"]["uid"]
    assert LOGIN["password"] not in str(
        [b for k in (TESTBED, JOB, POD) for b in world.cluster.all(k)]
    )


# -- proofs


async def test_the_sessions_prove_it_and_the_rest_is_listed_as_unseen() -> None:
    world = world_with()
    world.apply(study("tls", blocks=1))
    await world.run(world.ended)
    for one in records(world):
        assert one.outcome == "Succeeded"
        assert one.proofs.after is not None
        assert one.proofs.after.ok
        assert "every client's session had" in one.proofs.after.summary
        assert "encbench does not run the server" in one.proofs.after.summary
    beds = [key for key in world.store.objects if key.endswith("/proof.json")]
    assert len(beds) == 3
    for key in beds:
        assert b"exempt: the data files, logs and backups of the server" in world.store.objects[key]


async def test_a_session_without_tls_in_a_tls_arm_is_invalid() -> None:
    world = world_with()

    def plan(trial: Trial, usual: Plan) -> Plan:
        return replace(usual, session=PLAIN) if trial.spec.arm.name == "tls" else usual

    world.plan = plan
    world.apply(study("tls", blocks=1, replacements=0))
    await world.run(world.ended)
    ends = {one.spec.arm.name: (one.outcome, one.reason) for one in records(world)}
    assert ends["tls"] == ("Invalid", "ProofFailed")
    assert ends.pop("plain")[0] == "Succeeded"


# -- CPU


def _count_cpu(world: World, *, series: int = 1) -> None:
    """Half a core, from before the first trial until after the last."""
    times = range(int(START), int(START) + 3600)
    for number in range(1, series + 1):
        own = {"instance": "rds-1", "core": str(number)}
        world.metrics.add(
            "rds_cpu_seconds_total", own, [(time, 0.5 * (time - START)) for time in times]
        )


@dataclass
class Busy:
    """A Prometheus that cannot execute the first few queries about the database."""

    metrics: FakeMetrics
    times: int

    async def timed(self) -> SeriesSource:
        return self

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        if selector == QUERY and self.times:
            self.times -= 1
            raise Rejected("execution: too many samples at once")
        return await self.metrics.raw(selector, start, end)

    async def check(self) -> None:
        await self.metrics.check()


async def test_cpu_is_that_of_the_query_in_percent_of_what_the_template_says() -> None:
    world = world_with(instance=template(databaseCpuQuery=QUERY, cpu="2"))
    _count_cpu(world)
    world.apply(study("plain", blocks=2))
    await world.run(world.ended)
    for one in records(world):
        assert one.cpu.database is not None
        assert one.cpu.database.cores == pytest.approx(0.5)
        assert one.cpu.database.limit_cores == 2
    percents = [row.database_cpu_percent for row in report(world).status.rows]
    assert percents == [pytest.approx(25.0)] * 2


@pytest.mark.parametrize("series", [0, 2])
async def test_a_query_that_gives_no_one_series_costs_the_figure_and_not_the_trial(
    series: int,
) -> None:
    world = world_with(instance=template(databaseCpuQuery=QUERY, cpu="2"))
    _count_cpu(world, series=series)
    world.apply(study("plain", blocks=1))
    await world.run(world.ended)
    for one in records(world):
        assert one.outcome == "Succeeded"
        assert one.cpu.database is None
        assert "exactly one series" in one.cpu.withheld["database"]


async def test_why_a_query_was_refused_is_in_the_record() -> None:
    world = world_with(instance=template(databaseCpuQuery="rds{instance}", cpu="2"))
    world.apply(study("plain", blocks=1))
    await world.run(world.ended)
    for one in records(world):
        assert one.outcome == "Succeeded"
        assert one.cpu.withheld["database"].startswith("databaseCpuQuery was refused: parse error")


async def test_a_query_that_was_not_executed_is_asked_again() -> None:
    world = world_with(instance=template(databaseCpuQuery=QUERY, cpu="2"))
    world.deps = replace(world.deps, metrics=(busy := Busy(world.metrics, times=3)))
    world.restart()
    _count_cpu(world)
    world.apply(study("plain", blocks=1))
    await world.run(world.ended)
    assert busy.times == 0
    for one in records(world):
        assert one.cpu.database is not None


async def test_without_a_query_the_record_says_why_there_is_no_cpu() -> None:
    world = world_with()
    world.apply(study("plain", blocks=1))
    await world.run(world.ended)
    (said,) = {one.cpu.withheld["database"] for one in records(world)}
    assert "names no databaseCpuQuery" in said
    assert all(one.cpu.client is not None for one in records(world)), "the client is ours"


# -- refusals


@pytest.mark.parametrize(
    ("login", "said"),
    [
        (None, "there is no Secret rds in namespace bench: create it with the entries username, "),
        ({"password": "x"}, "Secret rds has no entry username: add the user's name"),
        ({**ALL, "password": ""}, "its entry password is empty"),
        ({**ALL, "password": "secret\n"}, "its entry password ends with a line break"),
        ({**ALL, "password": 'sec"ret'}, 'its entry password has a "'),
        ({**ALL, "password": "s" * 201}, "its entry password is longer than the 200 bytes"),
        (LOGIN, "Secret rds has no entry ca.crt: add the certificate of the server's CA"),
        ({**LOGIN, "ca.crt": " \n"}, "its entry ca.crt is empty: put the PEM file there"),
        ({**LOGIN, "ca.crt": "none"}, "its entry ca.crt has no certificate"),
        ({**LOGIN, "ca.crt": PEM[:200]}, "its entry ca.crt has no certificate"),
        ({**LOGIN, "ca.crt": PEM + KEY}, "its entry ca.crt has a private key"),
        ({**LOGIN, "ca.crt": PEM, "client.key": PEM}, "Secret rds has only client.key: add both"),
        ({**ALL, "client.crt": "", "client.key": ""}, "its entry client.crt is empty"),
        ({**ALL, "client.key": KEY}, "its entry client.key has no private key that can be read"),
        ({**ALL, "password": b"secret\xff"}, "its entry password is not text: write it in UTF-8"),
        ({**ALL, "ca.crt": b"\xff"}, "its entry ca.crt is not text: convert it with openssl x509"),
        (
            {**ALL, "client.crt": b"\xff"},
            "its entry client.crt is not text: convert it with openssl x509 -inform der",
        ),
        (
            {**ALL, "client.key": b"\xff"},
            "its entry client.key is not text: convert it with openssl pkey -inform der",
        ),
    ],
)
async def test_a_secret_that_lacks_something(
    login: dict[str, str | bytes] | None, said: str
) -> None:
    world = world_with(login=login)
    world.apply(study("tls"))
    await world.settle(30)
    message = refusal(world)
    assert said in message
    password = str((login or {}).get("password", "")).strip()
    assert len(password) < 2 or password not in message


@pytest.mark.parametrize("engine", ["mysql", "mariadb", "percona", "postgresql"])
async def test_a_login_is_enough_for_plaintext(engine: str) -> None:
    world = world_with(login=LOGIN, instance=template(engine=engine))
    world.apply(study("plain", blocks=1))
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")


@pytest.mark.parametrize("engine", ["mysql", "postgresql"])
async def test_tls_needs_no_client_certificate_of_the_users(engine: str) -> None:
    world = world_with(login={**LOGIN, "ca.crt": PEM}, instance=template(engine=engine))
    world.apply(study("tls", blocks=1))
    await world.run(world.running())
    for bed in world.cluster.all(TESTBED, SPACE):
        own = world.cluster.one(SECRET, SPACE, f"{bed['metadata']['name']}-credentials")
        assert entry(own, "ca.crt") == PEM
        assert "BEGIN CERTIFICATE" in (entry(own, "client.crt") or "")
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")


async def test_a_bundle_of_all_regions_is_copied_whole() -> None:
    bundle = "".join(f"# CA of region {number}\n{PEM}" for number in range(108))
    world = world_with(login={**LOGIN, "ca.crt": bundle})
    world.apply(study("tls", blocks=1))
    await world.run(world.running())
    for bed in beds(world):
        own = world.cluster.one(SECRET, SPACE, f"{bed.name}-credentials")
        assert entry(own, "ca.crt") == bundle


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (TDE, "can neither turn on nor prove encryption at rest on an external server"),
        (TLS12, "write inTransit.version: TLSv1.3 in the mode, or in one of its own"),
    ],
)
async def test_a_mode_that_nobody_can_prove(mode: dict[str, Any], said: str) -> None:
    world = world_with(**mode)
    world.apply(study("other"))
    await world.settle(30)
    assert said in refusal(world)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("reset", "block", "leave reset out; blocks.perTestbed then loads the data again"),
        ("residency", "OnDemand", "leave residency out"),
        ("cache", "Cold", "leave cache out"),
    ],
)
async def test_what_takes_a_server_of_ours(field: str, value: str, said: str) -> None:
    world = world_with()
    body = study("tls")
    body["spec"][field] = value
    world.apply(body)
    await world.settle(30)
    assert said in refusal(world)


async def test_a_secret_that_comes_later_lets_the_campaign_start() -> None:
    world = world_with(login=None)
    world.apply(study("tls", blocks=1))
    await world.settle(30)
    assert refusal(world)
    world.cluster.add(SECRET, secret())
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")


# -- accidents


async def test_a_secret_that_goes_before_the_testbed_has_copied_it_is_named() -> None:
    world = world_with()
    world.apply(study("plain", blocks=1, stepDeadlines={"provision": "20s"}))

    def accepted() -> bool:
        return bool(world.cluster.all(TESTBED, SPACE))

    await world.run(accepted)
    world.cluster.remove(SECRET, SPACE, "rds")
    await world.run(world.ended)
    fact = find(world.campaign().status.conditions, "Failed")
    assert fact is not None
    assert fact.status == "True"
    assert "there is no Secret rds any more: create it again" in fact.message


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (LOGIN, "Secret rds has no entry ca.crt: add the certificate of the server's CA"),
        ({**LOGIN, "ca.crt": "none"}, "Secret rds: its entry ca.crt has no certificate"),
        ({**ALL, "ca.crt": b"\xff"}, "Secret rds: its entry ca.crt is not text: convert it with"),
        ({**ALL, "password": b"\xff"}, "Secret rds: its entry password is not text: write it in"),
        ({**LOGIN, "ca.crt": PEM, "client.key": PAIR["client.key"]}, "has only client.key: add"),
        ({**ALL, "client.crt": b"\xff"}, "Secret rds: its entry client.crt is not text: convert"),
        ({**ALL, "client.crt": PEM}, "its entry client.key is not the key of client.crt"),
    ],
)
async def test_a_testbed_waits_for_what_the_secret_lost(
    left: dict[str, str | bytes], said: str
) -> None:
    world = prepared()
    await world.run(lambda: bool(beds(world)))
    world.cluster.remove(SECRET, SPACE, "rds")
    world.cluster.add(SECRET, secret(left))

    def waits() -> bool:
        facts = [find(bed.status.conditions, "Provisioned") for bed in beds(world)]
        return any(fact and fact.reason == "NoLogin" and said in fact.message for fact in facts)

    await world.run(waits)
    world.cluster.remove(SECRET, SPACE, "rds")
    world.cluster.add(SECRET, secret())
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")


def prepared() -> World:
    world = world_with()
    world.apply(study("tls", blocks=1))
    return world


@pytest.mark.parametrize(
    "after",
    [pytest.param(False, marks=pytest.mark.full, id="before"), pytest.param(True, id="after")],
)
async def test_killed_at_every_write_it_ends_the_same(after: bool) -> None:
    killed = partial(run, prepared, "cluster", after=after)
    undisturbed, _ = await killed_everywhere(killed, runs=4)
    assert undisturbed.progress == (3, 0, 3, 0, 0)


# -- TPC-C


async def test_tpcc_is_checked_by_its_load_and_by_nobody_after_that() -> None:
    world = World()
    _, plain, _, workload = tpcc_parts()
    world.apply(template(), plain, workload, study("plain", blocks=1))
    world.cluster.add(SECRET, secret(LOGIN))
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete")
    for trial in world.trials():
        fact = find(trial.status.conditions, "Consistent")
        assert fact is not None
        assert (fact.status, fact.reason) == ("Unknown", "NotChecked")
    specs = [trial.spec for trial in world.trials()]
    assert len({spec.seed for spec in specs}) == 1, "one constant of last names"
    assert len({spec.terminal_seed for spec in specs}) == 2, "no arm repeats another's requests"
    assert_sound(world)


def benchmarksql(**loading: str) -> World:
    """A campaign in which an image of BenchmarkSQL drives it, whose sessions report nothing."""
    world = World()
    world.plan = lambda _, usual: replace(usual, session=None)
    _, plain, _, workload = tpcc_parts(benchmarksql=dict(loading))
    workload["spec"]["load"] |= {"warmup": "0s", "duration": "1m"}
    world.apply(template(), plain, workload, study("plain", blocks=1))
    world.cluster.add(SECRET, secret(LOGIN))
    return world


@pytest.mark.parametrize(
    ("loading", "image"), [({}, TOOLS["tpcc"]), ({"loadImage": "mine:1"}, "mine:1")]
)
async def test_benchmarksql_drives_what_our_own_client_has_loaded(
    loading: dict[str, str], image: str
) -> None:
    world = benchmarksql(**loading)

    def loads() -> list[Body]:
        return [b for b in world.cluster.all(JOB) if b["metadata"]["name"].endswith("-load")]

    await world.run(lambda: bool(loads()))
    (job,) = loads()
    (tool,) = job["spec"]["template"]["spec"]["containers"]
    assert (tool["image"], tool["command"][-2:]) == (image, ["own", "load"])
    assert {"name": "ENCBENCH_CHECK", "value": "true"} in tool["env"]


async def test_what_benchmarksql_does_not_report_is_in_the_proof_and_in_the_report() -> None:
    world = benchmarksql()
    await world.run(world.ended)
    assert is_true(world.campaign().status.conditions, "Complete"), world.describe()
    assert_sound(world)
    for record in records(world):
        assert record.proofs.after is not None
        assert record.proofs.after.ok
        assert "plaintext in transit is not proven" in record.proofs.after.summary
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    assert "Plaintext in transit not proven" in world.store.objects[artefacts.markdown.key].decode()


# -- what the report says


async def test_the_report_says_that_somebody_else_runs_it() -> None:
    world = prepared()
    await world.run(world.ended)
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    said = world.store.objects[artefacts.markdown.key].decode()
    assert "Others run the database" in said
    assert "its template names no databaseCpuQuery" in said
    assert "Each mode ran on one testbed" not in said, "no placement differs"
    assert "Plaintext in transit not proven" not in said, "the clients report what they negotiated"
    provenance = [key for key in world.store.objects if key.endswith("/provenance.json")]
    assert provenance
    for key in provenance:
        assert b"8.0, as its template says" in world.store.objects[key]
