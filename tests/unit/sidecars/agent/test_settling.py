"""Bringing a server to rest in several rounds, with a session that writes down what it is asked."""

from collections.abc import Sequence

import pytest

from encbench.adapters.sql import Row, SqlError
from encbench.engines.innodb.pool import AT_STARTUP, STATUS
from encbench.engines.users import AGENT_USER, BENCHMARK_USER
from encbench.sidecars.agent import server
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.server import Settling
from encbench.wire.agent import SettleRequest


class Tables:
    """A session on a server with these tables; each flush of one is noted."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.flushed: list[str] = []
        self.fails = ""
        self.dirty = 0
        """Changed bytes; the flush of a table writes 10 of them."""
        self.pool: dict[str, str] = {}
        """What the server says of filling its buffer pool, by statement."""

    def rows(self, statement: str, _: Sequence[object] = ()) -> list[Row]:
        if statement in self.pool:
            return [("", self.pool[statement])]
        if statement.startswith("SELECT TABLE_NAME"):
            return [(name,) for name in self.names]
        if statement.startswith("FLUSH TABLES"):
            table = statement.split("`")[1]
            if table == self.fails:
                raise SqlError("the table has gone")
            self.flushed.append(table)
            self.dirty = max(0, self.dirty - 10)
        return [("", str(self.dirty))] if "bytes_dirty" in statement else []

    def close(self) -> None:
        """Each round opens it again."""

    def round(self, settling: Settling, steps: int) -> bool:
        """Whether the server is at rest after a round that has time for so many steps."""
        last = len(self.flushed) + steps
        return settling.go_on(lambda: len(self.flushed) >= last)["settled"]


@pytest.mark.parametrize("engine", ["mariadb", "mysql"])
def test_a_round_goes_on_where_the_last_one_ended(engine: str) -> None:
    tables = Tables("c", "B", "a", "b", "d")
    settling = Settling(lambda: tables, probe(engine))
    assert [tables.round(settling, 2) for _ in range(3)] == [False, False, True]
    assert tables.flushed == ["B", "a", "b", "c", "d"]
    assert tables.round(settling, 9), "the next cycle writes every table again"
    assert tables.flushed[5:] == ["B", "a", "b", "c", "d"]


def test_tables_may_come_and_go_between_rounds() -> None:
    tables = Tables("a", "b", "c")
    settling = Settling(lambda: tables, probe("mariadb"))
    assert not tables.round(settling, 2)
    tables.names = ["a", "aa", "d"]
    assert tables.round(settling, 9)
    assert tables.flushed == ["a", "b", "d"]


def test_a_failed_step_is_repeated() -> None:
    tables = Tables("a", "b", "c")
    settling = Settling(lambda: tables, probe("mariadb"))
    tables.fails = "b"
    with pytest.raises(SqlError):
        tables.round(settling, 9)
    tables.fails = ""
    assert tables.round(settling, 9)
    assert tables.flushed == ["a", "b", "c"]


def test_a_server_without_tables_is_at_rest() -> None:
    tables = Tables()
    assert tables.round(Settling(lambda: tables, probe("mariadb")), 1)


@pytest.mark.parametrize("engine", ["mariadb", "mysql"])
def test_a_server_that_fills_its_pool_is_not_at_rest(engine: str) -> None:
    tables = Tables("a")
    settling = Settling(lambda: tables, probe(engine))
    tables.pool = {AT_STARTUP: "ON", STATUS: "Loaded 1025/3276800 pages"}
    assert not tables.round(settling, 9)
    tables.pool[STATUS] = "Buffer pool(s) load completed at 261122 19:58:01"
    assert tables.round(settling, 9)


@pytest.mark.parametrize("engine", ["mariadb", "mysql"])
def test_what_waited_is_what_the_first_round_found(engine: str) -> None:
    tables = Tables("a", "b", "c")
    settling = Settling(lambda: tables, probe(engine))
    tables.dirty = 50
    rounds = [settling.go_on(lambda: len(tables.flushed) >= 2), settling.go_on(lambda: False)]
    assert [one["settled"] for one in rounds] == [False, True]
    assert [one["dirtyBytes"] for one in rounds] == [50, 50]
    assert settling.go_on(lambda: False)["dirtyBytes"] == 0, "20 are none of the next trial"
    tables.dirty += 40
    assert settling.go_on(lambda: False)["dirtyBytes"] == 40
    tables.dirty = 5
    assert settling.go_on(lambda: False)["dirtyBytes"] == 0, "purge may have written some of them"


def test_what_waited_after_a_run_is_said_again_to_whoever_asks_again() -> None:
    """The first one that asked may have ended before it kept the answer."""
    tables = Tables("a", "b")
    settling = Settling(lambda: tables, probe("mariadb"))
    for run in ("first", "second"):
        for ended, waits in ((False, 20), (True, 70)):
            tables.dirty += waits
            asked = SettleRequest(run=run, ended=ended)
            said = [settling.go_on(lambda: False, asked) for _ in range(3)]
            assert [one["settled"] for one in said] == [True] * 3
            assert [one["dirtyBytes"] for one in said] == [waits] * 3


def test_an_agent_that_has_not_seen_a_run_begin_does_not_say_what_waits() -> None:
    """The process before it may have had it written."""
    tables = Tables("a")
    settling = Settling(lambda: tables, probe("mariadb"))
    settling.go_on(lambda: False, SettleRequest(run="another", ended=False))
    for _ in range(2):
        asked = SettleRequest(run="own", ended=True)
        assert settling.go_on(lambda: False, asked)["dirtyBytes"] is None
    tables.dirty = 30
    assert settling.go_on(lambda: False, SettleRequest(run="next", ended=False))["dirtyBytes"] == 30


def test_what_waited_is_known_until_the_pool_is_filled_again() -> None:
    tables = Tables("a")
    settling = Settling(lambda: tables, probe("mysql"))
    tables.dirty, tables.pool = 10, {AT_STARTUP: "ON", STATUS: "Loaded 1025/3276800 pages"}
    assert settling.go_on(lambda: False)["dirtyBytes"] == 10
    tables.pool[STATUS] = "Buffer pool(s) load completed at 261122 19:58:01"
    assert settling.go_on(lambda: False)["dirtyBytes"] == 10


def test_postgresql_does_not_count_what_waits() -> None:
    assert Settling(Tables, probe("postgresql")).go_on(lambda: False)["dirtyBytes"] is None


class Crowd(Tables):
    """A server with sessions of these users, by their numbers."""

    def __init__(self, **users: str) -> None:
        super().__init__("a")
        self.users = {number.removeprefix("n"): user for number, user in users.items()}
        self.ended: list[str] = []
        self.stays = False
        """Those that are ended roll back for long."""
        self.refuses = False
        self.looks = 0
        self.leaves_at: int | None = None
        """The look at which all have left by themselves."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        if statement == "SHOW PROCESSLIST":
            self._look()
            return [(int(number), user, "10.0.0.1:4711") for number, user in self.users.items()]
        if "pg_stat_activity" in statement:
            self._look()
            return [(int(number),) for number, user in self.users.items() if user in arguments]
        if statement.startswith(("KILL ", "SELECT pg_terminate_backend(")):
            number = "".join(filter(str.isdigit, statement))
            if self.refuses:
                raise SqlError("1227: you need the CONNECTION ADMIN privilege")
            self.ended.append(number)
            if not self.stays:
                del self.users[number]
            return []
        return super().rows(statement, arguments)

    def _look(self) -> None:
        self.looks += 1
        if self.looks == self.leaves_at:
            self.users.clear()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAVE_SECONDS", "END_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(server, name, 0.01)


@pytest.mark.parametrize("engine", ["mariadb", "mysql", "percona", "postgresql"])
@pytest.mark.usefixtures("quick")
def test_sessions_of_clients_that_are_gone_are_ended_first(engine: str) -> None:
    crowd = Crowd(n7=BENCHMARK_USER, n8=AGENT_USER, n9="event_scheduler", n10=BENCHMARK_USER)
    said = Settling(lambda: crowd, probe(engine)).go_on(lambda: False)
    assert (said["settled"], said["sessions"]) == (True, 0)
    assert crowd.ended == ["7", "10"]


@pytest.mark.usefixtures("quick")
def test_nothing_is_written_while_a_session_may_hold_a_lock() -> None:
    crowd = Crowd(n7=BENCHMARK_USER, n8=BENCHMARK_USER)
    crowd.stays, settling = True, Settling(lambda: crowd, probe("mysql"))
    said = settling.go_on(lambda: False)
    assert (said["settled"], said["sessions"], crowd.flushed) == (False, 2, [])
    crowd.users.clear()
    said = settling.go_on(lambda: False)
    assert (said["settled"], said["sessions"], crowd.flushed) == (True, 0, ["a"])


def test_a_client_that_has_just_left_is_left_alone() -> None:
    crowd = Crowd(n7=BENCHMARK_USER)
    crowd.leaves_at = 3
    said = Settling(lambda: crowd, probe("mariadb")).go_on(lambda: False)
    assert (said["settled"], said["sessions"], crowd.ended) == (True, 0, [])


@pytest.mark.usefixtures("quick")
def test_a_session_that_cannot_be_ended_holds_up_no_round() -> None:
    """In a testbed of an earlier version the agent has no right to; its locks alone would wait."""
    crowd = Crowd(n7=BENCHMARK_USER)
    crowd.refuses = True
    said = Settling(lambda: crowd, probe("mysql")).go_on(lambda: False)
    assert (said["settled"], said["sessions"]) == (True, 0)
    assert crowd.flushed == ["a"]


@pytest.mark.usefixtures("quick")
def test_a_round_whose_caller_has_gone_ends_no_session() -> None:
    crowd = Crowd(n7=BENCHMARK_USER)
    said = Settling(lambda: crowd, probe("mysql")).go_on(lambda: True)
    assert (said["settled"], said["sessions"]) == (False, 1)
    assert crowd.ended == []
