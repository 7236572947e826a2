"""2,048 client threads: the template holds them, or is refused with a size that does."""

import re

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.session_memory import Sessions
from encbench.database.children import config_map
from encbench.engines.mariadb.settings import POD, server_settings
from encbench.engines.registry import engine
from tests.support.testbeds import database_context, instance, spec_of_testbed

POOL = "innodb_buffer_pool_size"
ENGINES = {
    "mariadb": ("10.11", POOL, "512M"),
    "mysql": ("8.4", POOL, "512M"),
    "percona": ("8.0", POOL, "512M"),
    "postgresql": ("16", "shared_buffers", "512MB"),
}
MANY = Sessions(2048, 0)


def template(name: str, memory: str, **settings: str) -> InstanceTemplateSpec:
    version, *_ = ENGINES[name]
    return InstanceTemplateSpec.model_validate(
        instance(
            engine=name,
            version=version,
            resources={"cpu": "1", "memory": memory},
            settings=settings,
        )
    )


def room(name: str, memory: str, sessions: Sessions, **settings: str) -> list[str]:
    found = engine(name).room(template(name, memory, **settings), sessions)
    return [problem.text for problem in found]


@pytest.mark.parametrize("name", ENGINES)
def test_connections_that_do_not_fit_beside_the_pool_are_refused_with_a_size(name: str) -> None:
    _, setting, pool = ENGINES[name]
    (problem,) = room(name, "1Gi", MANY, **{setting: pool})
    assert "resources.memory of 1Gi does not hold 2,048 connections" in problem
    assert "fewer tables" not in problem, "without prepared statements they are nothing"
    found = re.search(r"write memory of ([0-9]+)Mi or more", problem)
    assert found
    assert room(name, f"{found[1]}Mi", MANY, **{setting: pool}) == [], "the advice is good"
    assert room(name, f"{int(found[1]) - 1}Mi", MANY, **{setting: pool}) != [], "and no more"


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("memory", ["1Gi", "2Gi", "4Gi"])
@pytest.mark.parametrize("sessions", [MANY, Sessions(256, 1154), Sessions(2048, 40)])
def test_the_advice_is_good_for_a_pool_that_grows_with_the_memory(
    name: str, memory: str, sessions: Sessions
) -> None:
    problems = room(name, memory, sessions)
    for problem in problems:
        found = re.search(r"write memory of ([0-9]+)Mi or more", problem)
        assert found
        assert room(name, f"{found[1]}Mi", sessions) == [], "the advice is good"
        assert room(name, f"{int(found[1]) - 1}Mi", sessions) != [], "and no more"
    assert problems or (memory, sessions) != ("1Gi", Sessions(256, 1154)), "nothing was tried"


@pytest.mark.parametrize("name", ENGINES)
def test_a_smaller_pool_that_would_do_is_named(name: str) -> None:
    _, setting, _ = ENGINES[name]
    unit = "MB" if name == "postgresql" else "M"
    opened = Sessions(2048, 40)
    (problem,) = room(name, "8Gi", opened, **{setting: f"6400{unit}"})
    found = re.search(rf"settings\.{setting} of ([0-9]+{unit}) or less", problem)
    assert found, problem
    assert room(name, "8Gi", opened, **{setting: found[1]}) == []


@pytest.mark.parametrize("name", ENGINES)
def test_few_connections_fit_everywhere(name: str) -> None:
    assert room(name, "1Gi", Sessions(16, 20)) == []


@pytest.mark.parametrize("name", ENGINES)
def test_prepared_statements_count(name: str) -> None:
    """What oltp_read_write prepares on 128 tables is more than all else."""
    assert room(name, "4Gi", Sessions(256, 0)) == []
    (problem,) = room(name, "4Gi", Sessions(256, 1154))
    assert "256 connections with 1,154 prepared statements each" in problem
    assert "fewer tables" in problem


@pytest.mark.parametrize("name", ["mariadb", "mysql", "percona"])
def test_more_statements_than_the_server_keeps_are_refused(name: str) -> None:
    """What oltp_read_write prepares on 64 tables, whatever the memory."""
    opened = Sessions(2048, 578)
    (problem,) = room(name, "512Gi", opened)
    assert "are 1,183,744 statements" in problem and "which is 1,048,576" in problem
    assert "settings.max_prepared_stmt_count of 1183744 or more, if the server's" in problem
    assert room(name, "512Gi", opened, max_prepared_stmt_count="1183744") == []
    assert room(name, "512Gi", Sessions(2048, 512)) == []
    (problem,) = room(name, "512Gi", Sessions(1, 1025), max_prepared_stmt_count="1K")
    assert "which is 1,024" in problem and problem.endswith("of 1025 or more")
    assert room(name, "512Gi", opened, max_prepared_stmt_count="many") == []


LARGE = {"shared_buffers": "131072MB"}


def test_each_process_of_postgresql_has_a_page_table_of_the_pool_that_it_touches() -> None:
    """2,048 of them take as much as four pools, once each has touched all of it."""
    (problem,) = room("postgresql", "512Gi", MANY, **LARGE)
    assert "takes about 530,432 MiB for them" in problem
    enough, smaller = re.findall(r"memory of ([0-9]+)Mi or|buffers of ([0-9]+MB) or", problem)
    assert room("postgresql", f"{enough[0]}Mi", MANY, **LARGE) == [], "the advice is good"
    assert room("postgresql", "512Gi", MANY, shared_buffers=smaller[1]) == []
    more = f"{int(smaller[1].removesuffix('MB')) + 1}MB"
    assert room("postgresql", "512Gi", MANY, shared_buffers=more) != []
    assert room("mysql", "512Gi", MANY, **{POOL: "131072M"}) == []


def test_a_small_dataset_is_all_that_they_touch() -> None:
    small = Sessions(2048, 0, 2**34)
    assert room("postgresql", "512Gi", small, **LARGE) == []
    (problem,) = room("postgresql", "196Gi", small, **LARGE)
    found = re.search(r"shared_buffers of ([0-9]+)MB or less", problem)
    assert found
    assert int(found[1]) > 2**34 // 2**20, "the rest of it is touched by none"
    assert room("postgresql", "196Gi", small, shared_buffers=f"{found[1]}MB") == []
    assert room("postgresql", "196Gi", small, shared_buffers=f"{int(found[1]) + 1}MB") != []


@pytest.mark.parametrize("memory", ["8Gi", "64Gi", "512Gi"])
@pytest.mark.parametrize("count", [64, 1024, 2048])
def test_the_default_pool_leaves_room_for_page_tables(memory: str, count: int) -> None:
    assert room("postgresql", memory, Sessions(count, 20)) == []


def test_postgresql_has_no_limit_of_statements() -> None:
    assert room("postgresql", "512Gi", Sessions(2048, 578)) == []


@pytest.mark.parametrize("name", ENGINES)
def test_a_pool_that_is_wrong_by_itself_is_said_once(name: str) -> None:
    _, setting, _ = ENGINES[name]
    size = "64GB" if name == "postgresql" else "64G"
    made = template(name, "1Gi", **{setting: size})
    assert not [*engine(name).room(made, MANY)]
    assert len([*engine(name).problems(made, EncryptionModeSpec())]) == 1


@pytest.mark.parametrize("name", ENGINES)
def test_a_pool_that_lacks_its_unit_is_refused(name: str) -> None:
    _, setting, _ = ENGINES[name]
    unit, counts = ("MB", "pages of 8 kB") if name == "postgresql" else ("M", "bytes")
    least = "2048" if name == "postgresql" else str(16 * 2**20)
    for accepted in (least, f"16{unit}", f"300{unit}"):
        made = template(name, "1Gi", **{setting: accepted})
        assert not [*engine(name).problems(made, EncryptionModeSpec())]
    made = template(name, "1Gi", **{setting: "256"})
    (problem,) = engine(name).problems(made, EncryptionModeSpec())
    assert problem.text.startswith(
        f"settings.{setting} of 256 (without a unit it counts {counts}) is too small for a "
        f"measurement: write 16{unit} or more, such as "
    )
    made = template(name, "1Gi", **{setting: f"15{unit}"})
    (problem,) = engine(name).problems(made, EncryptionModeSpec())
    assert f"settings.{setting} of 15{unit} is too small for a measurement" in problem.text


def test_a_pool_that_nobody_has_sized_makes_room() -> None:
    def pool(connections: int) -> str:
        spec = spec_of_testbed(
            max_connections=connections, resources={"cpu": "1", "memory": "1Gi"}, settings={}
        )
        return server_settings(spec, POD)[POOL]

    assert pool(8) == pool(100) == "512M"
    assert pool(2048) == f"{1024 - 112 - 2048 * 320 // 1024}M"


@pytest.mark.parametrize("name", ["mariadb", "mysql", "percona"])
def test_all_statements_may_be_prepared_whatever_the_version(name: str) -> None:
    """The servers' own limit of 16,382 ends sysbench at 1,024 threads on two tables."""
    version, *_ = ENGINES[name]
    spec = spec_of_testbed(engine=name, version=version, settings={})
    text = config_map(database_context(spec))["data"]["server.cnf"]
    assert "\nmax_prepared_stmt_count=1048576\n" in text
