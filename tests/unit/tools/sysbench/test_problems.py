"""What is refused before anything starts, and what the user is told."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.tools.registry import tool
from encbench.tools.sysbench.problems import problems
from tests.support.testbeds import instance
from tests.support.workloads import CUSTOM, workload_spec

OWN_SCRIPT = Path(__file__).resolve().parents[4] / "docs" / "own-script.md"
SCRIPT = """
sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}, hot_share = {"", 1}}
function prepare() end
function event() end
"""


def found(sysbench: dict[str, Any], script: str | None = None) -> list[str]:
    spec = workload_spec(sysbench)
    assert tool(spec).problems is problems
    return [problem.text for problem in problems(spec, script, Blocks())]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"range-size": "50", "skip_trx": "on", "point-selects": "1"},
        {"rand-type": "uniform", "rand-pareto-h": "0.3", "db-ps-mode": "disable"},
        {"rand-spec-iter": "12", "rand_spec_pct": "100", "range-size": "1.5"},
        {"rand-spec-iter": "1", "rand-spec-pct": "1", "rand-spec-res": "0"},
        {"rand-spec-iter": "2147483647", "rand-spec-res": "99", "rand-pareto-h": "0.9999"},
    ],
)
def test_options_of_the_script_and_of_sysbench_are_taken(options: dict[str, str]) -> None:
    assert found({"options": options}) == []


@pytest.mark.parametrize("values", [("on", "off"), ("on", "on")])
def test_an_option_has_one_spelling(values: tuple[str, str]) -> None:
    assert found({"options": dict(zip(("auto-inc", "auto_inc"), values, strict=True))}) == [
        "sysbench.options auto_inc is auto-inc in another spelling: write one of them"
    ]


def test_an_unknown_option_is_refused_with_what_was_meant() -> None:
    assert found({"options": {"range-sizes": "1"}}) == [
        "sysbench.options range-sizes is unknown to oltp_read_write: did you mean range-size?"
    ]


def test_an_option_of_another_script_is_refused_with_what_there_is() -> None:
    (problem,) = found({"options": {"zzz": "1"}})
    assert "unknown to oltp_read_write: it takes auto-inc, create-secondary, db-ps-mode," in problem
    assert "table" not in problem


@pytest.mark.parametrize(
    ("option", "advice"),
    [("num-threads", "load.concurrency"), ("tx_rate", "load.rate"), ("max-time", "load.duration")],
)
def test_other_names_of_what_the_operator_sets(option: str, advice: str) -> None:
    (problem,) = found({"options": {option: "1"}})
    assert advice in problem


@pytest.mark.parametrize(
    ("option", "value", "advice"),
    [
        ("range-size", "many", "write a number"),
        ("rand-pareto-h", "1.", "write a number"),
        ("rand-spec-iter", "1.5", "write a whole number"),
        ("rand_spec_pct", "1.0", "write a whole number"),
        ("rand-spec-iter", "0", "write a whole number from 1 to 2147483647"),
        ("rand-spec-pct", "200", "write a whole number from 1 to 100"),
        ("rand-spec-pct", "0", "write a whole number from 1 to 100"),
        ("rand-spec-res", "100", "write a whole number from 0 to 99"),
        ("rand_pareto_h", "1", "write a number from 0.0001 to 0.9999"),
        ("rand-pareto-h", "0.0", "write a number from 0.0001 to 0.9999"),
        ("skip-trx", "yes", "write on or off"),
        ("rand-type", "zipf", "write uniform or gaussian or special or pareto"),
    ],
)
def test_values_are_checked(option: str, value: str, advice: str) -> None:
    (problem,) = found({"options": {option: value}})
    assert advice in problem
    assert repr(value) in problem


@pytest.mark.parametrize("off", [{"auto-inc": "off"}, {"auto_inc": "false"}, {"auto_inc": "0"}])
def test_a_client_that_draws_the_ids_of_its_rows_is_refused(off: dict[str, str]) -> None:
    (problem,) = found({"script": "oltp_insert", "options": off})
    assert problem == (
        "sysbench.options auto-inc: without it each client of oltp_insert draws its ids by "
        "chance, whatever the seed, so that no two trials insert the same rows and some ids "
        "exist already: leave auto-inc out"
    )
    assert found({"script": "oltp_insert", "options": dict.fromkeys(off, "on")}) == []
    assert found({"script": "oltp_read_write", "options": off}) == []


def beside(engine: str, options: dict[str, str], **load: Any) -> list[str]:
    """Problems of a script that writes, on such a database."""
    spec = workload_spec({"script": "oltp_write_only", "options": options}, load)
    template = InstanceTemplateSpec.model_validate(instance(engine=engine))
    found = tool(spec).pair_problems(spec, template, EncryptionModeSpec())
    return [problem.text for problem in found]


@pytest.mark.parametrize("engine", ["mariadb", "mysql", "percona"])
def test_threads_that_insert_the_same_row_outside_of_transactions(engine: str) -> None:
    (problem,) = beside(engine, {"skip_trx": "on"})
    assert problem == (
        "sysbench.options skip-trx: oltp_write_only deletes a row and inserts it again, and "
        "outside of transactions two threads may both insert it, which ends sysbench: leave "
        "skip-trx out, or write delete-inserts: '0' or load.concurrency: [1]"
    )
    assert beside(engine, {"skip-trx": "on", "delete-inserts": "2"}) == [problem]
    assert beside(engine, {"skip-trx": "on", "delete-inserts": "many"}) == [problem]


@pytest.mark.parametrize(
    ("engine", "options", "threads"),
    [
        ("mysql", {"skip-trx": "off"}, 4),
        ("mysql", {"skip-trx": "on", "delete_inserts": "0"}, 4),
        ("mysql", {"skip-trx": "on", "secondary": "on"}, 4),
        ("mysql", {"skip-trx": "on"}, 1),
        ("postgresql", {"skip-trx": "on"}, 4),
    ],
    ids=["transactions", "no inserts", "no unique id", "one thread", "errors that are counted"],
)
def test_threads_that_may_do_without_transactions(
    engine: str, options: dict[str, str], threads: int
) -> None:
    assert beside(engine, options, concurrency=[threads]) == []


def test_a_key_in_the_words_of_mysql() -> None:
    (problem,) = beside("postgresql", {"secondary": "on"})
    assert problem == (
        "sysbench.options secondary: its tables have an index in MySQL's words, which PostgreSQL "
        "does not take: leave secondary out"
    )
    assert beside("postgresql", {"secondary": "off"}) == []
    assert beside("mysql", {"secondary": "on"}) == []


def test_the_script_of_the_docs() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", OWN_SCRIPT.read_text(), re.DOTALL)
    scripts, workload = yaml.safe_load_all(example)
    spec = WorkloadSpec.model_validate(workload["spec"])
    reference = spec.sysbench_test.script_config_map_ref
    assert reference is not None
    assert reference.name == scripts["metadata"]["name"]
    assert list(problems(spec, scripts["data"][reference.key], Blocks())) == []


def test_a_good_script() -> None:
    assert found({**CUSTOM, "options": {"hot-share": "3"}}, SCRIPT) == []


def test_a_script_that_is_too_long_is_not_read() -> None:
    (problem,) = found(CUSTOM, SCRIPT + "-" * 2**17)
    assert problem.startswith("transfer.lua has more than the 131,072 letters that a script may")


def test_an_option_that_the_script_does_not_declare() -> None:
    (problem,) = found({**CUSTOM, "options": {"hot-shares": "3"}}, SCRIPT)
    assert problem.endswith("unknown to transfer.lua: did you mean hot-share?")


def test_a_script_without_declarations_takes_no_option() -> None:
    texts = found({**CUSTOM, "options": {"hot-share": "3"}}, "function prepare() end event = nil")
    assert len(texts) == 3
    assert "write function event()" in texts[0]
    assert "declare both" in texts[1]
    assert "hot-share is unknown" in texts[2]


def test_a_script_that_cannot_be_used() -> None:
    text = 'require("oltp_common")\nsysbench.hooks.report_intermediate = print'
    nothing_to_run, hooks = found(CUSTOM, text)
    assert nothing_to_run.endswith("write function event()")
    assert "leave the hooks out" in hooks


def test_sysbench_wants_event_beside_a_loop_of_the_script_s_own() -> None:
    loop = "function thread_run(id) end\n"
    assert found(CUSTOM, SCRIPT + loop) == []
    (only,) = found(CUSTOM, SCRIPT.replace("function event() end\n", loop))
    assert only == (
        "transfer.lua lacks event(), without which sysbench runs no script: write function event()"
    )


def test_a_session_that_could_not_tell_what_it_negotiated() -> None:
    (only,) = found(CUSTOM, 'require("oltp_read_only")\nfunction event() db_connect() end')
    assert "write sysbench.sql.driver():connect()" in only
    assert any("defines no command prepare" in text for text in found(CUSTOM, "event = 1"))


def test_values_for_a_script_are_one_line() -> None:
    (problem,) = found({**CUSTOM, "options": {"hot-share": "a\nb"}}, SCRIPT)
    assert "on one line" in problem


@pytest.mark.parametrize(("rate", "hours"), [({}, 28), ({"rate": 500}, 21)], ids=["", "rate"])
def test_a_load_prints_no_more_than_is_read(rate: dict[str, int], hours: int) -> None:
    def problems_of(duration: str) -> list[str]:
        load = {"warmup": "30m", "duration": duration, **rate}
        return [problem.text for problem in problems(workload_spec(load=load), None, Blocks())]

    assert problems_of(f"{hours - 1}h30m") == []
    (problem,) = problems_of(f"{hours - 1}h31m")
    assert problem == (
        f"load.warmup and load.duration of 30m and {hours - 1}h31m are too long: of what sysbench "
        f"prints 16 MiB are read, so make them {hours}h or less together"
    )


@pytest.mark.parametrize("solo", [0, 1])
def test_in_turns_an_arm_prints_in_its_own_slices(solo: int) -> None:
    def problems_of(rounds: int, duration: str) -> list[str]:
        turns = {"rounds": rounds, "slice": "2m"}
        blocks = Blocks.model_validate({"interleave": turns, "solo": solo})
        spec = workload_spec(load={"warmup": "30m", "duration": duration})
        return [problem.text for problem in problems(spec, None, blocks)]

    assert problems_of(824, "1m") == []
    (problem,) = problems_of(1000, "1m")
    assert problem == (
        "load.warmup of 30m and the 1,000 rounds of blocks.interleave with slices of 2m are too "
        "long: of what sysbench prints 16 MiB are read, so make them 28h or less together"
    )
    assert len(problems_of(4, "30h")) == solo, "only sequential blocks last so long"
