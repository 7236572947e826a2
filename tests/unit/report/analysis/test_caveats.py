"""Each caveat appears when its fact holds, and not otherwise."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import Interleave, LostSet
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import External, InstanceTemplateSpec
from encbench.api.workload import Sysbench, WorkloadSpec
from encbench.core.evidence import MachineFacts, ProofVerdict, ProvenanceRecord, ServerFacts
from encbench.core.records import CampaignEnd, IndexRecord
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.build import build
from encbench.report.analysis.caveats import (
    Facts,
    blocks,
    columns,
    cycle,
    external,
    load,
    machines,
    memory,
    others,
    proofs,
    software,
    throttling,
    tpcc,
)
from encbench.report.document import Provenance, Report
from encbench.report.document.trial import TrialView
from encbench.report.formats.markdown import markdown
from tests.data.report.golden import DRIVER, report_of
from tests.data.report.synthetic import Study, write
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, TDE, TLS
from tests.support.workloads import CUSTOM, tpcc_spec, workload_spec

CALM = Study(concurrency=(16,))


def titles(study: Study) -> set[str]:
    return {caveat.title for caveat in report_of(study).caveats}


def test_a_calm_study_has_only_the_notes_on_its_dataset_and_its_testbeds() -> None:
    assert titles(CALM) == {"The dataset fits into memory", "Each mode ran on one testbed"}


def test_a_dataset_is_compared_with_the_pool_of_its_own_instance() -> None:
    """Of two workloads and two instances only some fit."""
    study = replace(
        CALM, instances=("small", "large"), workloads=("oltp-read-only", "oltp-read-write")
    )
    found = report_of(study)
    many = found.resolved.workloads["oltp-read-write"]
    test = many.sysbench_test.model_copy(update={"table_size": 2_500_000})
    many = many.model_copy(update={"sysbench": test})
    workloads = found.resolved.workloads | {"oltp-read-write": many}
    resolved = found.resolved.model_copy(update={"workloads": workloads})

    def said(small: int, large: int) -> str:
        pools = {"small": small, "large": large}
        sources = [source(found, name, pool << 20) for name, pool in pools.items()]
        facts = Facts(
            found.spec, resolved, found.groups, found.trials, (), found.provenance, sources
        )
        return " ".join(
            caveat.text.partition(". ")[0] for caveat in memory.dataset_in_memory(facts)
        )

    assert said(1024, 4096) == (
        "oltp-read-only: about 229 MiB of rows in a buffer pool of 1,024 MiB; oltp-read-write on "
        "large: about 2,289 MiB of rows in a buffer pool of 4,096 MiB"
    )
    assert said(128, 1024) == (
        "oltp-read-only on large: about 229 MiB of rows in a buffer pool of 1,024 MiB"
    )
    assert said(128, 128) == ""


@pytest.mark.parametrize("pools", [(128, 1024), (1024, 128)])
def test_a_dataset_has_to_fit_into_the_smallest_pool_of_an_instance(pools: tuple[int, int]) -> None:
    """As where settings changed between two sets of testbeds; 229 MiB of rows."""
    found = report_of(CALM)
    sources = [source(found, "small", pool << 20) for pool in pools]
    facts = Facts(
        found.spec, found.resolved, found.groups, found.trials, (), found.provenance, sources
    )
    assert not [*memory.dataset_in_memory(facts)]


def facts_with(report: Report, workload: WorkloadSpec, settings: dict[str, str]) -> Facts:
    """The report's, with that workload and the server's settings."""
    workloads = {**report.resolved.workloads, "oltp-read-write": workload}
    return Facts(
        report.spec,
        report.resolved.model_copy(update={"workloads": workloads}),
        report.groups,
        report.trials,
        (),
        report.provenance,
        [with_settings(report, "small", settings)],
    )


def dataset_note(settings: dict[str, str], workload: WorkloadSpec | None = None) -> str:
    """What is said of a dataset of 229 MiB on a server with these settings."""
    found = report_of(CALM)
    workload = workload or found.resolved.workloads["oltp-read-write"]
    facts = facts_with(found, workload, settings)
    return " ".join(caveat.text for caveat in memory.dataset_in_memory(facts))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (TLS, False),
        ({"columns": {"method": "confidential", "ratio": 100}}, False),
        ({"atRest": {"method": "engine"}}, True),
    ],
)
def test_pages_are_decrypted_only_where_a_mode_encrypts_at_rest(
    mode: dict[str, Any], said: bool
) -> None:
    study = replace(CALM, blocks=2, modes={"tde": mode})
    assert ("The dataset fits into memory" in titles(study)) is said


def test_a_script_of_the_users_own_has_rows_of_unknown_size() -> None:
    large = {"innodb_buffer_pool_size": str(4 << 30)}
    assert "about 229 MiB of rows in a buffer pool of 4,096 MiB" in dataset_note(large)
    assert dataset_note(large, workload_spec({**CUSTOM, "tables": 1})) == ""


def test_postgresql_has_a_pool_as_well() -> None:
    assert "rows in a buffer pool of 256 MiB" in dataset_note({"shared_buffers": "256MB"})
    assert dataset_note({"shared_buffers": "128MB"}) == ""


@pytest.mark.parametrize(
    ("engine", "mode", "size", "said"),
    [
        ("postgresql", ENCRYPTED_CLASS, "287Mi", True),
        ("postgresql", GOCRYPTFS, "287Mi", True),
        ("postgresql", ENCRYPTED_CLASS, "286Mi", False),
        ("postgresql", TDE, "64Gi", False),
        ("mariadb", ENCRYPTED_CLASS, "64Gi", False),
    ],
)
def test_a_page_cache_holds_what_a_volume_has_decrypted(
    engine: str, mode: dict[str, Any], size: str, said: bool
) -> None:
    """229 MiB of rows, and a pool of 128 MiB."""
    found = report_of(replace(CALM, blocks=2))
    small = found.resolved.instances["small"]
    assert small.resources is not None
    resources = small.resources.model_copy(update={"memory": size})
    changes = {"engine": engine, "resources": resources}
    resolved = found.resolved.model_copy(
        update={
            "instances": {"small": small.model_copy(update=changes)},
            "modes": found.resolved.modes | {"tde": EncryptionModeSpec.model_validate(mode)},
        }
    )
    sources = [with_settings(found, "small", {"shared_buffers": "128MB"})]
    facts = Facts(found.spec, resolved, found.groups, found.trials, (), found.provenance, sources)
    texts = [caveat.text for caveat in memory.dataset_in_memory(facts)]
    start = "oltp-read-write: about 229 MiB of rows may be in a page cache of 230 MiB. Pages are"
    assert [one.startswith(start) for one in texts] == [True] * said
    assert bool([*memory.drawn_rows_in_memory(facts)]) != said, "of rows that fit as a whole"


@pytest.mark.parametrize(
    ("options", "pool", "said"),
    [
        ({}, "127M", "about 76 of 229 MiB of rows in a buffer pool of 127 MiB. Its rand-type"),
        ({}, "76M", ""),
        ({}, "1G", ""),
        ({"rand-type": "special"}, "127M", "about 76 of 229 MiB"),
        ({"rand_type": "gaussian"}, "96M", "about 95 of 229 MiB"),
        ({"rand-type": "gaussian"}, "95M", ""),
        ({"rand-type": "uniform"}, "228M", ""),
        ({"rand-type": "pareto"}, "228M", ""),
        ({"rand_spec_res": "10"}, "228M", ""),
    ],
)
def test_a_part_of_the_rows_may_be_all_that_is_drawn(
    options: dict[str, str], pool: str, said: str
) -> None:
    texts = drawn_note(pool, {"options": options})
    assert [one.startswith(f"oltp-read-write: {said}") for one in texts] == [True] * bool(said)


@pytest.mark.parametrize("script", ["oltp_insert", "select_random_points"])
def test_rows_that_are_found_by_another_column_lie_in_all_of_the_table(script: str) -> None:
    assert drawn_note("127M", {"script": "oltp_point_select", "tables": 1, "tableSize": 1000000})
    assert not drawn_note("127M", {"script": script, "tables": 1, "tableSize": 1000000})


def drawn_note(pool: str, test: dict[str, Any]) -> list[str]:
    """What is said of the drawn part of a dataset of 229 MiB, beside a pool of that size."""
    found = report_of(replace(CALM, blocks=2))
    workload = found.resolved.workloads["oltp-read-write"]
    sysbench = Sysbench.model_validate({**workload.sysbench_test.to_dict(), **test})
    workload = workload.model_copy(update={"sysbench": sysbench})
    facts = facts_with(found, workload, {"innodb_buffer_pool_size": pool})
    return [caveat.text for caveat in memory.drawn_rows_in_memory(facts)]


def source(report: Report, instance: str, pool: int) -> ProvenanceSource:
    """The provenance of an instance's trials."""
    return with_settings(report, instance, {"innodb_buffer_pool_size": str(pool)})


def with_settings(report: Report, instance: str, settings: dict[str, str]) -> ProvenanceSource:
    """The same of a server with these settings."""
    server = ServerFacts(version="1", settings=settings)
    record = ProvenanceRecord(testbed=instance, server=server, machine=MachineFacts())
    uids = {trial.uid for trial in report.trials if trial.instance == instance}
    return ProvenanceSource("key", "digest", record, uids)


BUSY = replace(CALM, concurrency=(64,))
"""A server at its limit."""
IN_TURNS = replace(CALM, rounds=10)
"""Clients that run for 30 s of each window, in slices of 3 s."""


@pytest.mark.parametrize(
    ("study", "title"),
    [
        (Study(concurrency=(16,), colocated=True), "Client and database shared a node"),
        (Study(concurrency=(16,), noise=0.05), "The noise floor is wider than the margin"),
        (Study(concurrency=(16,), blocks=3), "Few blocks"),
        (Study(concurrency=(16,), blocks=16, per_testbed=4), "Few sets of testbeds"),
        (Study(concurrency=(16,), blocks=8, rounds=8, per_testbed=2), "Few sets of testbeds"),
        (Study(concurrency=(16,), client_cpu=0.9), "The client was near its limit"),
        (Study(concurrency=(1,)), "The server was never saturated"),
        (Study(concurrency=(16,), seconds=20), "Short windows"),
        (Study(concurrency=(16,), flags=("fpu",)), "No AES instructions"),
        (Study(concurrency=(4, 16)), "Several comparisons"),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Fewer valid blocks than planned",
        ),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Many trials did not succeed",
        ),
        (
            Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})),
            "Server CPU withheld",
        ),
        (replace(CALM, foreign=0.11), "Something else used the nodes"),
        (replace(CALM, stolen=0.021), "The hypervisor took CPU"),
        (replace(CALM, foreign=None), "Load from outside was not measured"),
        (replace(CALM, idle=0.021), "Idle databases were not quite idle"),
        (replace(CALM, throttled=3.1), "The client was near its limit"),
        (replace(IN_TURNS, throttled=1.6), "The client was near its limit"),
        (replace(CALM, rate=50, throttled=0.7), "Latency leaves out the client's own stalls"),
        (BUSY, "The server was at its CPU limit"),
        (replace(CALM, held_up={"tde": 0.11}), "Its CPU limit held the server up"),
        (replace(CALM, rate=50), "A fixed rate was offered"),
        (replace(CALM, rate=500), "An arm fell behind the offered rate"),
        (replace(CALM, precision=0.001, wanted=40), "Intervals are wider than asked for"),
    ],
)
def test_caveat(study: Study, title: str) -> None:
    assert title in titles(study)


@pytest.mark.parametrize(
    ("study", "title"),
    [
        (replace(CALM, foreign=0.09), "Something else used the nodes"),
        (replace(CALM, stolen=0.019), "The hypervisor took CPU"),
        (replace(CALM, idle=0.019), "Idle databases were not quite idle"),
        (replace(CALM, throttled=2.9), "The client was near its limit"),
        (replace(IN_TURNS, throttled=1.4), "The client was near its limit"),
        (replace(CALM, rate=50, throttled=0.5), "Latency leaves out the client's own stalls"),
        (replace(CALM, throttled=2.9), "Latency leaves out the client's own stalls"),
        (replace(BUSY, rate=50), "The server was at its CPU limit"),
        (replace(CALM, held_up={"tde": 0.09}), "Its CPU limit held the server up"),
        (replace(BUSY, held_up={"tde": 0.9}), "Its CPU limit held the server up"),
        (replace(CALM, rate=50), "The server was never saturated"),
        (replace(CALM, per_testbed=1), "Each mode ran on one testbed"),
        (replace(CALM, loss={}), "Each mode ran on one testbed"),
        (replace(CALM, precision=0.02, wanted=8), "Intervals are wider than asked for"),
        (
            replace(CALM, precision=0.02, wanted=10, rate=20, noise=0.012, loss={"tde": 0.6}),
            "Intervals are wider than asked for",
        ),
    ],
)
def test_no_caveat(study: Study, title: str) -> None:
    assert title not in titles(study)


def short_windows(engine: str, *, of_others: bool = False) -> str:
    """What is said of windows of 20 s of such a server."""
    found = report_of(Study(concurrency=(16,), blocks=2, seconds=20))
    facts = Facts(found.spec, found.resolved, found.groups, found.trials, (), found.provenance, ())
    instances = outside(facts) if of_others else found.resolved.instances
    own = {"small": instances["small"].model_copy(update={"engine": engine})}
    facts = replace(facts, resolved=found.resolved.model_copy(update={"instances": own}))
    return " ".join(caveat.text for caveat in blocks.short_window(facts))


def test_a_short_window_may_miss_or_catch_autovacuum() -> None:
    assert "Checkpoints, autovacuum, purges and flushing come in" in short_windows("postgresql")
    assert "Checkpoints, purges and flushing come in" in short_windows("mariadb")


def test_a_short_window_of_postgresql_is_one_after_a_checkpoint() -> None:
    """Which the agent requests before each proof, except of servers that others run."""
    assert "begins right after a checkpoint" in short_windows("postgresql")
    assert "begins right after a checkpoint" not in short_windows("mariadb")
    of_others = short_windows("postgresql", of_others=True)
    assert "autovacuum" in of_others
    assert "begins right after a checkpoint" not in of_others


def unmeasured(study: Study) -> Facts:
    """The facts of a study in which load from outside was not measured."""
    found = report_of(replace(study, foreign=None))
    return Facts(
        found.spec, found.resolved, found.groups, found.trials, (), found.provenance, sources=()
    )


def test_dm_crypt_s_kernel_threads_are_not_other_programs() -> None:
    found = unmeasured(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    loads = {"tde": {"foreign_with_dm_crypt_percent": 60.0}}
    usual = {"foreign_cpu_percent": 4.0}
    trials = [t.model_copy(update=loads.get(t.arm, usual)) for t in found.counted]
    facts = replace(found, trials=trials)
    assert not [*others.foreign_load(facts)]
    (caveat,) = others.kernel_encryption(facts)
    assert "In 6 of 6 counted trials of a mode with a storageClassName what no pod" in caveat.text
    assert "60 % at most" in caveat.text
    little = {"tde": {"foreign_with_dm_crypt_percent": 9.0}}
    calm = [t.model_copy(update=little.get(t.arm, usual)) for t in trials]
    (caveat,) = others.kernel_encryption(replace(facts, trials=calm))
    assert "at most" not in caveat.text
    recovery = [group.model_copy(update={"primary": "recovery"}) for group in facts.groups]
    (caveat,) = others.kernel_encryption(replace(facts, groups=recovery))
    assert caveat.weight == "note", "CPU per transaction is not judged there"
    assert caveat.text.startswith("In 6 of 6 counted trials of a mode with")


def test_dm_crypt_of_an_arm_in_turns_is_named_where_other_programs_are() -> None:
    crypt = {"tde": {"foreign_with_dm_crypt_percent": 60.0}}
    for rounds, named in ((0, False), (8, True)):
        study = replace(CALM, modes={"tde": ENCRYPTED_CLASS}, rounds=rounds)
        found = unmeasured(study)
        usual = {"foreign_cpu_percent": 14.0}
        trials = [t.model_copy(update=crypt.get(t.arm, usual)) for t in found.counted]
        (caveat,) = others.foreign_load(replace(found, trials=trials))
        threads = "own traffic and ciphers of tde in the same windows, took"
        assert (threads in caveat.text) == named
        assert ("own traffic, took" in caveat.text) != named
        apart = [t.model_copy(update={"cell": t.arm}) for t in trials]
        (caveat,) = others.foreign_load(replace(found, trials=apart))
        assert "own traffic, took" in caveat.text, "the turns of another cell are other windows"


def test_a_cipher_outside_the_pods_is_a_serious_caveat_whatever_it_takes() -> None:
    title = "dm-crypt encrypted outside the pods"
    found = report_of(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    (caveat,) = (caveat for caveat in found.caveats if caveat.title == title)
    assert caveat.weight == "serious"
    assert caveat.text.startswith("The data of tde lay on dm-crypt, which encrypts in kernel ")
    for mode in (TDE, GOCRYPTFS):
        assert title not in titles(replace(CALM, modes={"tde": mode}))
    both = replace(CALM, baseline=ENCRYPTED_CLASS, modes={"tde": {**ENCRYPTED_CLASS, **TLS}})
    assert title not in titles(both), "the same is left out of both"


def test_a_cipher_that_is_only_declared_may_be_in_the_kernel() -> None:
    found = unmeasured(replace(CALM, modes={"tde": ENCRYPTED_CLASS}))
    trust = ProofVerdict.model_validate({"ok": True, "summary": "", "on_trust": True})
    proofs = {"proof_before": trust, "proof_after": trust}
    trials = [t.model_copy(update=proofs if t.arm == "tde" else {}) for t in found.counted]
    (caveat,) = others.kernel_encryption(replace(found, trials=trials))
    assert (caveat.weight, caveat.title) == (
        "serious",
        "The kernel may have encrypted outside the pods",
    )
    assert caveat.text.startswith("No pod can see what encrypts the data of tde: it may be the ")


@pytest.mark.parametrize(("spare", "full"), [(0.05, True), (0.06, False), (None, False)])
def test_a_node_without_cpu_left_is_named_in_the_idle_server_s_place(
    spare: float | None, full: bool
) -> None:
    found = report_of(replace(CALM, blocks=2, concurrency=(2,), spare=spare))
    texts = {caveat.title: caveat.text for caveat in found.caveats}
    assert ("The server was never saturated" in texts) != full
    assert ("A node had no CPU left" in texts) == full
    assert {row.saturation for row in found.groups[0].rows} == {"NodeBound" if full else "Neither"}
    if full:
        assert (
            "is what the CPU of node-a lets through: at least 95 %"
            in texts["A node had no CPU left"]
        )


def test_only_full_nodes_of_the_arms_that_they_limit_are_named() -> None:
    found = report_of(replace(CALM, blocks=2, concurrency=(2,), spare=0.02))
    nodes: dict[tuple[str, int], tuple[str, float]] = {
        ("plain", 1): ("node-b", 99.0),
        ("tde", 2): ("node-c", 94.0),
    }
    trials = []
    for trial in found.trials:
        node, percent = nodes.get((trial.arm, trial.block), ("node-a", 98.0))
        figures = {"fullest_node": node, "fullest_node_percent": percent}
        trials.append(trial.model_copy(update=figures))
    bound = [
        row.model_copy(update={"saturation": "NodeBound" if row.arm == "tde" else "Neither"})
        for row in found.groups[0].rows
    ]
    groups = [found.groups[0].model_copy(update={"rows": tuple(bound)})]
    facts = Facts(found.spec, found.resolved, groups, trials, (), found.provenance, ())
    (caveat,) = load.full_node(facts)
    assert "TPS of tde, first in" in caveat.text
    assert "is what the CPU of node-a lets through" in caveat.text


def test_no_node_limits_tps_where_every_arm_kept_up_with_a_rate() -> None:
    assert "A node had no CPU left" not in titles(replace(CALM, rate=50, spare=0.02))


@pytest.mark.parametrize(
    ("plain", "tde", "weight"),
    [
        *((3.0, 4.0, "note"), (9.9, 9.9, "note"), (10.0, 10.0, "serious")),
        *((1.0, 5.9, "note"), (1.0, 6.0, "serious"), (6.0, 1.0, "serious")),
    ],
)
def test_much_steal_and_steal_of_one_arm_are_serious(plain: float, tde: float, weight: str) -> None:
    found = unmeasured(CALM)
    shares = {"tde": tde}
    trials = [
        t.model_copy(update={"stolen_cpu_percent": shares.get(t.arm, plain)}) for t in found.counted
    ]
    (caveat,) = others.stolen(replace(found, trials=trials))
    assert caveat.weight == weight
    assert f"{round(plain)} % with plain" in caveat.text
    assert f"{round(tde)} % with tde" in caveat.text


def test_steal_of_one_condition_is_not_that_of_its_arms() -> None:
    """Arms of unlike conditions differ by where they ran."""
    found = unmeasured(Study(concurrency=(4, 16)))
    counted = [
        t.model_copy(update={"stolen_cpu_percent": 7.0 if t.concurrency == 16 else 1.0})
        for t in found.counted
        if t.arm == "plain" or t.concurrency == 16
    ]
    (caveat,) = others.stolen(replace(found, trials=counted))
    assert caveat.weight == "note"
    assert "at 16 threads on small that is on average 7 % with plain, 7 %" in caveat.text


def test_a_limit_that_nothing_was_held_against_is_a_serious_caveat() -> None:
    facts = unmeasured(Study(concurrency=(4, 16)))
    (caveat,) = others.foreign_unknown(facts)
    assert caveat.weight == "serious"
    assert "without effect in 2 of 2 conditions, first in oltp-read-write at 4" in caveat.text
    once = facts.counted[0].model_copy(update={"foreign_cpu_percent": 1.0})
    (caveat,) = others.foreign_unknown(replace(facts, trials=[once, *facts.counted[1:]]))
    assert caveat.weight == "serious"
    assert "without effect in 1 of 2 conditions" in caveat.text


def test_load_that_no_limit_is_held_against_is_a_note() -> None:
    facts = unmeasured(CALM)
    once = facts.counted[0].model_copy(update={"foreign_cpu_percent": 1.0})
    limits = facts.spec.limits.model_copy(update={"foreign_cpu": 1.0})
    for other in (
        replace(facts, trials=[once, *facts.counted[1:]]),
        replace(facts, spec=facts.spec.model_copy(update={"limits": limits})),
        replace(facts, resolved=facts.resolved.model_copy(update={"instances": outside(facts)})),
    ):
        (caveat,) = others.foreign_unknown(other)
        assert caveat.weight == "note"
        assert "limits" not in caveat.text


def outside(facts: Facts) -> dict[str, InstanceTemplateSpec]:
    """The instances of a study, run by others."""
    external = {
        "host": "db.example.com",
        "database": "sbtest",
        "credentialsSecretRef": {"name": "db"},
    }
    own = {"external": External.model_validate(external)}
    return {name: one.model_copy(update=own) for name, one in facts.resolved.instances.items()}


@pytest.mark.parametrize(("mode", "told"), [("tde", True), ("unused", False)])
def test_a_url_of_the_user_s_own_is_not_said_to_turn_tls_off(mode: str, told: bool) -> None:
    found = unmeasured(replace(CALM, workloads=("tpcc",), tpcc=True))
    (name,) = found.resolved.workloads
    jar = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "jars", "path": "d.jar"}
    changed = {
        "instances": outside(found),
        "workloads": {name: tpcc_spec({"benchmarksql": {}}, {"warmup": "0s", "duration": "1m"})},
        "modes": {
            **found.resolved.modes,
            mode: EncryptionModeSpec.model_validate({"driver": {"jar": jar}}),
        },
    }
    facts = replace(found, resolved=found.resolved.model_copy(update=changed))
    _, caveat = external.external_database(facts)
    assert caveat.title == "Plaintext in transit not proven"
    assert ("that of tde is driver.jar's own, and was not judged" in caveat.text) == told


@pytest.mark.parametrize(
    ("count", "encrypts", "exchanges", "runs"),
    [
        (1, "a encrypts", "a only exchanges", "a runs"),
        (2, "a and b encrypt ", "b only exchange ", "a and b run "),
    ],
)
def test_the_verb_follows_the_count(count: int, encrypts: str, exchanges: str, runs: str) -> None:
    names = ("a", "b")[:count]
    modes = {name: {"driver": DRIVER} for name in names}
    study = replace(CALM, blocks=2, tpcc=True, workloads=names, instances=names, modes=modes)
    facts = unmeasured(replace(study, loss=dict.fromkeys(names, 0.1)))
    resolved = facts.resolved.model_copy(update={"instances": outside(facts)})
    (caveat,) = columns.driver_before_external(replace(facts, resolved=resolved))
    assert encrypts in caveat.text
    assert exchanges in caveat.text
    (caveat,) = tpcc.no_tpc_result(facts)
    assert runs in caveat.text


@pytest.mark.parametrize(
    ("rate", "governor", "said"),
    [
        (50, "schedutil", True),
        (50, "performance", False),
        (50, None, False),
        (None, "schedutil", False),
    ],
)
def test_a_frequency_that_follows_the_load_matters_at_a_rate(
    rate: int | None, governor: str | None, said: bool
) -> None:
    own = {"cpu_governor": governor}
    study = replace(CALM, blocks=2, rate=rate, machines={"plain": own, "tde": own})
    found = report_of(study)
    title = "The clock frequency follows the load"
    texts = [caveat.text for caveat in found.caveats if caveat.title == title]
    assert bool(texts) == said
    assert not said or "the governor schedutil" in texts[0]
    assert ("CPU governor" in found.provenance.by_name) == (governor is not None)


LARGER = {"node": "node-c", "allocatable_cores": 16.0}
SMALLER = {"node": "node-a", "allocatable_cores": 8.0}


def test_databases_on_unlike_nodes_are_a_serious_caveat() -> None:
    said = "The databases ran on unlike nodes"
    apart = replace(CALM, machines={"plain": SMALLER, "tde": LARGER})
    text = text_of(apart, said)
    assert "Node node-c, for testbed" in text
    assert "is unlike node node-a: 16 allocatable cores against 8" in text
    assert next(c for c in report_of(apart).caveats if c.title == said).weight == "serious"
    alike = replace(CALM, machines={"plain": SMALLER, "tde": SMALLER | {"node": "node-c"}})
    assert said not in titles(alike)
    kernel = replace(CALM, machines={"tde": {"kernel": "6.19.0"}})
    assert "kernel 6.19.0 against 6.18.0" in text_of(kernel, said)


CHACHA = {"inTransit": {**TLS["inTransit"], "cipherSuite": "TLS_CHACHA20_POLY1305_SHA256"}}
BARE_JAR = {
    "driver": {
        "jar": {
            "claimName": "jars",
            "path": "d.jar",
            "class": "x.D",
            "urlTemplate": "jdbc:x://{host}",
        }
    }
}


def test_clients_that_encrypt_without_aes_instructions_are_named_with_their_side() -> None:
    slow: dict[str, object] = {"aes": False}
    in_transit = replace(CALM, modes={"tde": TLS}, client_machines={"tde": slow, "plain": slow})
    assert text_of(in_transit, "No AES instructions").startswith(
        "The CPU of node-b (clients that encrypt) lists no aes flag;"
    )
    both = replace(in_transit, flags=("fpu",))
    assert text_of(both, "No AES instructions").startswith(
        "The CPU of node-a (databases) and of node-b (clients that encrypt) lists no aes flag;"
    )
    for clients, modes in (
        ({"plain": slow}, {"tde": TLS}),
        ({"tde": slow}, {}),
        ({"tde": {"aes": True}}, {"tde": TLS}),
        ({"tde": slow}, {"tde": CHACHA}),
        ({"tde": slow}, {"tde": BARE_JAR}),
    ):
        study = replace(CALM, client_machines=clients, modes=modes)
        assert "No AES instructions" not in titles(study)


def test_clients_on_unlike_nodes_are_one_as_well() -> None:
    said = "The clients ran on unlike nodes"
    known = {"plain": {"cpu_model": "One"}, "tde": {"cpu_model": "Other"}}
    assert "CPU Other against One" in text_of(replace(CALM, client_machines=known), said)
    assert said not in titles(replace(CALM, client_machines={"tde": {"cpu_model": "Other"}})), (
        "of the baseline's nothing is known"
    )


def test_clients_beside_the_databases_of_other_arms_are_a_note() -> None:
    said = "Clients ran beside other databases"
    crossed = replace(
        CALM,
        machines={"tde": {"node": "node-b"}},
        client_machines={"plain": {"node": "node-b"}, "tde": {"node": "node-a"}},
    )
    assert "on node node-" in text_of(crossed, said)
    assert said not in titles(replace(crossed, residency="OnDemand"))
    apart = replace(crossed, client_machines={"tde": {"node": "node-c"}, "plain": {"node": "c"}})
    assert said not in titles(apart)
    shared = replace(CALM, colocated=True)
    assert said not in titles(shared), "the serious caveat says it"


IN_SETS = replace(CALM, lost_in=3)


def of_sets(
    nodes: Callable[[TrialView], tuple[str, str]] = lambda _: ("a", "b"),
    settings: Callable[[TrialView], dict[str, str]] = lambda _: {},
    images: Callable[[TrialView], dict[str, str]] = lambda _: {},
    jars: Callable[[TrialView], tuple[str, ...] | None] = lambda _: None,
) -> Facts:
    """Of two sets of testbeds, by the nodes of each trial's database and of its client."""
    found = report_of(IN_SETS)
    beds: dict[str, tuple[TrialView, set[str]]] = {}
    for trial in found.trials:
        beds.setdefault(trial.testbed, (trial, set()))[1].add(trial.uid)
    sources = []
    for bed, (trial, uids) in beds.items():
        home, client = (MachineFacts(node=name, cpu_model=name[:4]) for name in nodes(trial))
        record = ProvenanceRecord(
            testbed=bed,
            server=ServerFacts(version="1", settings=settings(trial)),
            machine=home,
            clients=(client,),
            images=images(trial),
            driver_jars=jars(trial),
        )
        sources.append(ProvenanceSource("key", "digest", record, uids))
    return Facts(found.spec, found.resolved, found.groups, found.trials, (), Provenance(), sources)


def test_only_testbeds_of_one_set_are_compared() -> None:
    apart = of_sets(lambda trial: (f"new{trial.generation}-a", f"old{trial.generation}-b"))
    for check in (machines.unlike_databases, machines.unlike_clients):
        assert not [*check(apart)], "each set has nodes of one kind"
    (odd,) = machines.unlike_databases(
        of_sets(lambda t: ("odd-a" if (t.generation, t.arm) == (2, "tde") else "new-a", "old-b"))
    )
    assert odd.text.startswith("Node odd-a, for testbed tde-small-")
    assert "is unlike node new-a: CPU odd- against new-. A" in odd.text


def test_sets_on_unlike_nodes_are_a_note() -> None:
    apart = of_sets(lambda trial: (f"new{trial.generation}-a", f"new{trial.generation}-a"))
    (found,) = machines.unlike_sets(apart)
    assert found.text.startswith("Node new2-a is unlike node new1-a: CPU new2 against new1.")
    assert not [*machines.unlike_sets(of_sets(lambda _: ("new-a", "old-b")))], "told of the arms"


def test_settings_that_changed_between_sets_are_serious() -> None:
    """As where the operator was upgraded between them, and sets more for a server than before."""

    def later(trial: TrialView) -> dict[str, str]:
        now = str(trial.generation)
        own = {"hostname2": trial.testbed, "scope": "all" if trial.role == "treatment" else "none"}
        return {"a": now, "b": now, "c": now, "d": now, "e": now, **own}

    (caveat,) = software.changed(of_sets(settings=later))
    assert caveat.weight == "serious"
    assert "of one arm ran with different server settings (a, b, c and 2 others);" in caveat.text
    same = of_sets(settings=lambda t: {"same": "1", "counter": t.testbed, "mode": t.role})
    assert not [*software.changed(same)]
    assert not [*software.changed(of_sets())], "nothing is known"


def test_so_is_the_jar_of_a_driver() -> None:
    def jar(trial: TrialView) -> tuple[str, ...] | None:
        return (f"sha256:{trial.generation:064}",) if trial.role == "treatment" else None

    (caveat,) = software.changed(of_sets(jars=jar))
    assert "of one arm ran with different jars of the mode's driver; the" in caveat.text
    same = of_sets(jars=lambda t: (f"sha256:{t.role == 'treatment':064}",))
    assert not [*software.changed(same)], "each arm has its own"
    assert not [*software.changed(of_sets(jars=lambda t: jar(t) if t.generation == 1 else None))]


def test_so_are_images() -> None:
    def image(trial: TrialView, name: str = "r.invalid/db") -> str:
        return f"{name}@sha256:{trial.generation}"

    found = of_sets(images=lambda t: {"tool": image(t), "server": image(t), "agent": image(t)})
    (caveat,) = software.changed(found)
    assert "with different images of the server and images of the tool; the" in caveat.text
    agents = of_sets(images=lambda t: {"agent": image(t)})
    assert not [*software.changed(agents)], "they are not measured"
    moved = of_sets(images=lambda t: {"tool": f"r{t.generation}.invalid/db@sha256:1"})
    assert not [*software.changed(moved)]
    modes = of_sets(images=lambda t: {"proxy": f"r.invalid/x@sha256:{t.role == 'treatment'}"})
    assert not [*software.changed(modes)], "each arm has its own"
    odd = of_sets(
        images=lambda t: {"tool": image(t) if t.generation == 1 else f"sha256:{t.generation}"}
    )
    assert not [*software.changed(odd)], "of another kind"


def test_clients_are_not_beside_databases_that_were_gone() -> None:
    swapped = of_sets(lambda t: ("a", "b") if t.generation == 1 else ("b", "a"))
    assert not [*machines.beside_databases(swapped)]
    at_once = machines._at_once
    assert not at_once(("c1", 1), ("c2", 1), 1)
    assert at_once(("c1", 1), ("c2", 1), 2)
    assert not at_once(("c1", 1), ("c1", 2), 2), "a set goes before the next one is built"
    beside = of_sets(lambda t: ("a", "b") if t.arm == "tde" else ("b", "c"))
    (caveat,) = machines.beside_databases(beside)
    assert "on node b, where testbed" in caveat.text
    assert caveat.text.endswith("With residency: OnDemand they are stopped.")
    blocks = beside.spec.blocks.model_copy(update={"interleave": Interleave()})
    spec = beside.spec.model_copy(update={"blocks": blocks})
    (caveat,) = machines.beside_databases(replace(beside, spec=spec))
    assert "idleCpu" not in caveat.text and "OnDemand" not in caveat.text
    assert "Add nodes, or keep clients and databases apart by placement" in caveat.text


@pytest.mark.parametrize(
    ("more", "late", "slow"),
    [
        (((0.02, 1.0),), False, False),
        (((0.06, 1.0),), True, False),
        (((0.02, 0.8),), False, True),
        (((0.02, 1.0), (0.06, 0.6), (0.0, 1.0)), True, True),
    ],
)
def test_several_clients_start_together_and_do_as_much(
    more: tuple[tuple[float, float], ...], late: bool, slow: bool
) -> None:
    found = titles(replace(CALM, more_clients=more))
    assert ("The clients did not start together" in found) is late
    assert ("One client was slower than the others" in found) is slow
    in_turns = titles(replace(IN_TURNS, more_clients=more))
    assert "The clients did not start together" not in in_turns, "each slot has its own beginning"


def test_the_slowest_client_is_named() -> None:
    several = replace(CALM, more_clients=((0.02, 1.0), (0.06, 0.6), (0.0, 1.0)))
    assert "client 2 on node node-2 was at 67 %" in text_of(
        several, "One client was slower than the others"
    )
    assert "60 ms at most" in text_of(several, "The clients did not start together")
    (first, *_) = report_of(several).trials
    assert first.slowest_client is not None
    assert (first.slowest_client.index, first.slowest_client.tps) == (2, 60.0)
    assert first.start_spread_ms == pytest.approx(60.0, abs=0.1)
    uneven = replace(several, more_clients=several.more_clients[:2])
    (first, *_) = report_of(uneven).trials
    assert first.slowest_client is None, "16 threads are not three times as many"
    (first, *_) = report_of(replace(several, rate=50)).trials
    assert first.slowest_client is None, "nor are 50 transactions a second four times as many"


def test_a_machine_whose_trials_do_not_count_is_no_caveat() -> None:
    never = replace(
        CALM, machines={"tde": LARGER, "plain": SMALLER}, always={"tde": ("Invalid", "UnlikeNodes")}
    )
    assert "The databases ran on unlike nodes" not in titles(never)


def text_of(study: Study, title: str) -> str:
    return next(c.text for c in report_of(study).caveats if c.title == title)


def test_nothing_is_said_of_a_rate_where_no_block_shows_whether_arms_kept_up() -> None:
    lost = replace(CALM, rate=50, always={"tde": ("Invalid", "ProofFailed")})
    assert not titles(lost) & {"A fixed rate was offered", "An arm fell behind the offered rate"}


def test_a_queue_is_a_rate_that_an_arm_fell_behind() -> None:
    title = "An arm fell behind the offered rate"
    said = text_of(
        replace(CALM, rate=50, queue={(block, "tde"): (293, 0) for block in range(1, 7)}), title
    )
    assert "Transactions of tde waited in the client when a window began or ended" in said
    assert "The work was not equal" not in said
    said = text_of(replace(CALM, rate=500), title)
    assert "waited in the client" not in said and "The work was not equal" in said


def test_a_rate_that_every_arm_keeps_up_with_is_recommended() -> None:
    slowest = min(row.tps or 0 for row in report_of(BUSY).rows)
    said = text_of(BUSY, "The server was at its CPU limit")
    assert f"load.rate: {int(0.7 * slowest)} for oltp-read-write at 64 threads on small" in said


def test_with_interleaved_blocks_that_rate_is_for_another_campaign() -> None:
    asked = "in a campaign without blocks.interleave"
    assert asked not in text_of(BUSY, "The server was at its CPU limit")
    in_turns = text_of(replace(BUSY, rounds=10), "The server was at its CPU limit")
    assert f" on small, {asked}." in in_turns


def test_the_two_testbeds_of_the_baseline_mode_are_compared() -> None:
    lucky = replace(CALM, placement={"plain-control": 0.04}, noise=0.002)
    said = text_of(lucky, "Each mode ran on one testbed")
    assert "The baseline mode's two testbeds differed by up to 4.1 % [3.8, 4.4] %." in said
    other = text_of(replace(lucky, placement={"plain": 0.04}), "Each mode ran on one testbed")
    found = re.search(r"differed by up to (\S+) % \[(\S+), (\S+)\] %", other)
    assert found is not None
    estimate, low, high = map(float, found.groups())
    assert 0 < low < estimate < high


def test_two_testbeds_in_one_block_are_compared_without_an_interval() -> None:
    one = replace(CALM, blocks=1, noise=0.0, placement={"plain": 0.04})
    assert "differed by up to 4.2 %. The" in text_of(one, "Each mode ran on one testbed")


def test_why_intervals_are_wide_is_said() -> None:
    said = text_of(replace(CALM, precision=0.001, wanted=40), "Intervals are wider than asked for")
    assert "capped at 30 blocks where the pilot asked for 40: ±" in said
    assert said.endswith(". Raise blocks.max, or measure longer windows on a quieter machine.")
    study = replace(CALM, precision=0.001, wanted=8)
    said = text_of(study, "Intervals are wider than asked for")
    assert said.endswith(" % was reached. Measure longer windows on a quieter machine.")


def test_a_floor_is_how_far_an_interval_reaches_and_no_difference() -> None:
    """By testbed two blocks say almost nothing: −0.1 [−71.0, 41.4] %."""
    study = Study(concurrency=(4,), blocks=2, noise=0.03)
    said = text_of(study, "The noise floor is wider than the margin")
    assert said.startswith(
        "The interval of the baseline against itself reaches up to ±71.0 % (its estimate is −0.1 %)"
        ", and to the margin of 3 % or beyond in 1 of 1 condition."
    )
    anew = replace(study, blocks=4, noise=0.06, per_testbed=1)
    assert "reaches up to ±" in text_of(anew, "The noise floor is wider than the margin")


@pytest.mark.parametrize(
    ("lost", "title"),
    [(0, "A deadline ended the campaign"), (1, "Fewer valid blocks than planned")],
)
def test_a_deadline_that_ended_a_campaign_is_one_caveat(lost: int, title: str) -> None:
    """Beside the missing blocks that it explains; by itself where only solo blocks are missing."""
    index, bucket = write(CALM)
    end = CampaignEnd(reason="DeadlineExceeded", message="took longer")
    late = {"end": end, "trials": index.trials[: len(index.trials) - lost]}
    found = build(index.model_copy(update=late), bucket.__getitem__)
    (serious,) = [one for one in found.caveats if one.weight == "serious"]
    assert serious.title == title
    assert "only if the figures had no part in when it ended." in serious.text
    assert found.headlines[0].verdict == "Overhead"


def test_lost_testbeds_are_a_note_that_says_why() -> None:
    title, why = "Testbeds were lost and built anew", "testbed tde was lost: its node is gone"

    def said(study: Study, sets: int = 1) -> str:
        index, bucket = write(study)
        place = {"cell": index.cells[0].name, "message": why, "time": index.generated_time}
        lost = tuple(LostSet.model_validate({**place, "generation": n + 1}) for n in range(sets))
        found = build(index.model_copy(update={"lost_sets": lost}), bucket.__getitem__)
        assert found.lost_sets == lost
        return next(one.text for one in found.caveats if one.title == title)

    moved, several = replace(CALM, lost_in=3), "Counted blocks of one instance ran on 2 sets. "
    assert said(moved).startswith(f"1 set of testbeds: {why}. A block")
    assert several in said(moved)
    assert f"{why}; 2 more are in report.json. A" in said(moved, 5)
    assert several not in said(replace(moved, per_testbed=1)), "each block had a set of its own"
    assert several not in said(replace(moved, lost_in=1)), "all that count are on one set"
    assert title not in titles(CALM)


def test_the_modes_of_a_campaign_that_lost_testbeds_ran_on_few() -> None:
    lost = replace(CALM, lost_in=3)
    assert "Each mode ran on few testbeds" in titles(lost)
    (group,) = report_of(lost).groups
    assert [block.block for block in group.blocks if block.counted] == [1, 2, 4, 5, 6, 7]


def test_missing_blocks_say_how_the_campaign_ended() -> None:
    index, bucket = write(CALM)
    short = index.model_copy(update={"trials": index.trials[:-1]})
    end = CampaignEnd(reason="TestbedFailed", message="testbed tde: LoadFailed: no room")
    title = "Fewer valid blocks than planned"

    def said(found: IndexRecord) -> list[str]:
        caveats = build(found, bucket.__getitem__).caveats
        return [one.text for one in caveats if one.title == title]

    (text,) = said(short.model_copy(update={"end": end}))
    assert text.endswith(" It ended with TestbedFailed: testbed tde: LoadFailed: no room.")
    (before,) = said(short)
    assert "It ended" not in before, "of an earlier release"


def test_counted_trials_with_a_proof_without_evidence_are_named() -> None:
    found = report_of(CALM)
    kept = ProofVerdict(ok=True, summary="in force", evidence_lost=True)
    last = found.trials[-1].model_copy(update={"proof_after": kept})

    def said(*trials: TrialView) -> list[str]:
        facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
        return [caveat.text for caveat in proofs.lost_evidence(facts)]

    (text,) = said(*found.trials[:-1], last)
    assert text.startswith(f"In 1 of {len(found.trials)} counted trials, such as {last.name}, a ")
    assert said(*found.trials) == []
    uncounted = last.model_copy(update={"counted": False})
    assert said(*found.trials[:-1], uncounted) == [], "no figure rests on it"


def test_serious_ones_come_first() -> None:
    found = report_of(Study(concurrency=(16,), colocated=True, blocks=3, seconds=20))
    weights = [caveat.weight for caveat in found.caveats]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == "serious"


def test_withheld_cpu_says_why() -> None:
    found = report_of(Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})))
    text = next(c.text for c in found.caveats if c.title == "Server CPU withheld")
    assert text.startswith("In 1 of 18 counted trials there is no CPU of the server, for instance ")
    assert "because: the alignment error of 3.1 % is above 2 %" in text


def test_what_a_cpu_limit_held_up_is_said_by_arm() -> None:
    """Whose mean is at the limit the report says already, unless a rate was offered."""
    title = "Its CPU limit held the server up"
    said = text_of(replace(CALM, held_up={"plain": 0.02, "tde": 0.234}), title)
    assert "of 100 ms as a rule: 23 % in arm tde (" in said
    assert "arm plain" not in said
    offered = replace(BUSY, rate=50, held_up={"plain": 0.3, "tde": 0.5})
    assert "30 % in arm plain (" in text_of(offered, title)


def test_what_a_cpu_limit_held_up_is_the_mean_over_an_arm_s_trials_in_a_condition() -> None:
    found = report_of(replace(CALM, concurrency=(4, 16), blocks=2))

    def said(percent: Callable[[TrialView], float]) -> list[str]:
        trials = [
            trial.model_copy(update={"held_up_percent": {"database": percent(trial)}})
            for trial in found.trials
        ]
        facts = Facts(found.spec, found.resolved, found.groups, trials, (), Provenance(), ())
        return [caveat.text for caveat in throttling.held_up(facts)]

    assert not said(lambda trial: 19.0 * (trial.block == 1))
    (text,) = said(lambda trial: 12.0 * (trial.arm == "tde" and trial.concurrency == 16))
    assert ": 12 % in arm tde (oltp-read-write at 16 threads on small). Its" in text


def test_a_client_beyond_its_limit_had_none() -> None:
    found = report_of(Study(concurrency=(64,), client_cpu=2.4))
    (caveat,) = [one for one in found.caveats if one.title == "A node does not enforce CPU limits"]
    assert caveat.weight == "serious"
    assert caveat.text.startswith("In 18 of 18 counted trials a client used more CPU than the ")
    assert {row.saturation for row in found.groups[0].rows} == {"NotMeasured"}
    assert "The client was near its limit" not in {one.title for one in found.caveats}
    assert found.groups[0].comparisons[0].capacity is None


def test_one_thread_on_many_cores_shows_its_servers_cpu() -> None:
    """The server's one busy core is a fifth of five, but most of the time of a transaction."""
    found = report_of(Study(concurrency=(1,)))
    changes = {"database_cpu_percent": 20.0, "database_side_cpu_ms_per_transaction": 9.0}
    changes |= {"tps": 100.0, "client_cpu_ms_per_transaction": 0.5}
    trials = [trial.model_copy(update=changes) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    (caveat,) = load.idle_server(facts)
    assert "20 % of the limit. TPS then follows latency, of which the database's CPU was" in (
        caveat.text
    )
    assert "at most 90 %: no larger part of the CPU that encryption adds shows" in caveat.text
    assert not list(cycle.busy_threads(facts))


def test_threads_that_are_busy_with_the_client_hide_what_the_server_does() -> None:
    """Two threads of a client with four cores: 45 % of its limit, 0.9 ms of each ms."""
    found = report_of(Study(concurrency=(2,)))
    changes = {"tps": 2000.0, "client_cpu_ms_per_transaction": 0.9, "client_cpu_percent": 45.0}
    trials = [trial.model_copy(update=changes) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    assert not list(load.busy_client(facts))
    (caveat,) = cycle.busy_threads(facts)
    assert "In 18 of 18 counted trials the client's CPU was more than 50 % of a" in caveat.text
    assert "transaction's time, 90 % at most." in caveat.text
    offered = [group.model_copy(update={"offered_tps": 2000.0}) for group in found.groups]
    assert not list(cycle.busy_threads(replace(facts, groups=offered)))


def test_a_proxy_at_its_limit_is_what_limits_tps() -> None:
    modes = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    study = Study(concurrency=(1,), modes=modes)
    calm = replace(study, proxy={"tde": 0.01})
    idle = "The server was never saturated"
    assert idle in titles(calm)
    tps = report_of(calm).groups[0].row("tde").tps
    assert tps is not None
    busy = replace(study, proxy={"tde": 950 / tps})
    assert report_of(busy).groups[0].row("tde").saturation == "ProxyBound"
    assert "The proxy was at its CPU limit" in titles(busy)
    assert idle not in titles(busy), "TPS does not follow latency alone"


def test_at_equal_work_no_proxy_limits_tps() -> None:
    modes = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    study = Study(concurrency=(4,), rate=50, modes=modes, proxy={"tde": 950 / 50})
    (group,) = report_of(study).groups
    assert (group.row("tde").saturation, group.equal_work) == ("ProxyBound", True)
    assert not titles(study) & {"The proxy was at its CPU limit", "The server was never saturated"}


def test_server_and_file_system_have_a_limit_each() -> None:
    idle, limited = "The server was never saturated", "The file system was at its CPU limit"
    calm = Study(concurrency=(1,), volume={"tde": 0.2})
    assert idle in titles(calm) and limited not in titles(calm)
    busy = replace(calm, volume={"tde": 0.95})
    row = report_of(busy).groups[0].row("tde")
    assert row.saturation == "VolumeBound"
    alone = report_of(calm).groups[0].row("tde").database_cpu_percent
    assert row.database_cpu_percent == pytest.approx(alone), "the server's is of its own limit"
    assert limited in titles(busy) and idle not in titles(busy)
    assert "file system CPU" in markdown(report_of(busy))


def test_cores_of_a_cipher_in_the_kernel_are_in_no_capacity() -> None:
    found = report_of(replace(BUSY, modes={"tde": ENCRYPTED_CLASS}))
    assert found.groups[0].row("tde").saturation == "DatabaseBound"
    assert found.groups[0].comparisons[0].capacity is None
    assert "cores become" not in found.headlines[0].so


@pytest.mark.parametrize("kept", [True, False])
def test_a_second_limit_is_not_hidden_by_the_server_s(kept: bool) -> None:
    """Cores of the server alone would not bring TPS back there."""
    proxied = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    plain = replace(BUSY, modes=proxied, proxy={"tde": 0.01})
    tps = report_of(plain).groups[0].row("tde").tps
    assert tps is not None
    for title, free, busy in (
        ("The proxy was at its CPU limit", plain, replace(plain, proxy={"tde": 950 / tps})),
        (
            "The file system was at its CPU limit",
            replace(BUSY, volume={"tde": 0.2}),
            replace(BUSY, volume={"tde": 0.95}),
        ),
    ):
        report = report_of(free if kept else busy)
        assert report.groups[0].row("tde").saturation == "DatabaseBound"
        assert (report.groups[0].comparisons[0].capacity is not None) is kept
        assert ("cores become" in report.headlines[0].so) is kept
        assert (title not in {caveat.title for caveat in report.caveats}) is kept


def test_a_server_at_its_limit_over_an_idle_file_system() -> None:
    found = report_of(replace(BUSY, volume={"tde": 0.05})).groups[0].row("tde")
    assert found.saturation == "DatabaseBound"
