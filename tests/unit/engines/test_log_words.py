"""What logs say of a start; the lines are from real servers, shortened."""

import time

import pytest

from encbench.engines.registry import engine

MARIADB = """\
17:00:00 0 [Note] mariadbd: ready for connections.
17:00:09 0 [Note] Starting MariaDB 10.11.19-MariaDB-0+deb12u1-log source revision 58 as process 71
17:00:09 0 [Note] mariadbd: Aria engine: starting recovery
17:00:09 0 [Note] InnoDB: Starting crash recovery from checkpoint LSN=222052015
17:00:09 0 [Note] InnoDB: End of log at LSN=281046024
17:00:09 0 [Note] InnoDB: To recover: LSN 274158226/281046024; 181 pages
17:00:09 0 [Note] Recovering after a crash using binlog
17:00:09 0 [Note] mariadbd: ready for connections.
"""
MYSQL = """\
2026-11-21T17:22:15Z 0 [System] [MY-015015] [Server] MySQL Server - start.
2026-11-21T17:22:15Z 0 [System] [MY-010116] [Server] mysqld (mysqld 9.7.4-2) starting as process 71
2026-11-21T17:22:15Z 1 [Note] [MY-012551] [InnoDB] Database was not shutdown normally!
2026-11-21T17:22:15Z 1 [Note] [MY-012552] [InnoDB] Starting crash recovery.
2026-11-21T17:22:15Z 1 [Note] [MY-012532] [InnoDB] Applying a batch of 976 redo log records ...
2026-11-21T17:22:15Z 1 [Note] [MY-012535] [InnoDB] Apply batch completed!
2026-11-21T17:22:16Z 0 [System] [MY-010229] [Server] Starting XA crash recovery...
"""
POSTGRESQL = """\
2026-11-21 17:47:05.130 GMT [71] LOG:  starting PostgreSQL 15.18 (Debian 15.18-0+deb12u1)
2026-11-21 17:47:05.139 GMT [92] FATAL:  the database system is starting up
2026-11-21 17:47:05.141 GMT [91] LOG:  database system was interrupted; last known up at 17:47:02
2026-11-21 17:47:05.286 GMT [91] LOG:  database system was not properly shut down; automatic \
recovery in progress
2026-11-21 17:47:05.288 GMT [91] LOG:  redo starts at 0/1B6A888
2026-11-21 17:47:05.569 GMT [91] LOG:  redo done at 0/4B7AAD0 system usage: CPU: user: 0.22 s
2026-11-21 17:47:05.621 GMT [71] LOG:  database system is ready to accept connections
"""
CRASHES = {"mariadb": MARIADB, "mysql": MYSQL, "percona": MYSQL, "postgresql": POSTGRESQL}
CLEAN = {
    "mariadb": "0 [Note] Starting MariaDB 10.11.19 as process 71\n"
    "0 [Note] InnoDB: End of log at LSN=634524839\n",
    "mysql": "0 [System] [MY-010116] [Server] mysqld (mysqld 9.7.4-2) starting as process 71\n"
    "1 [System] [MY-013577] [InnoDB] InnoDB initialization has ended.\n",
    "postgresql": "GMT [71] LOG:  starting PostgreSQL 15.18\n"
    "GMT [73] LOG:  database system was shut down at 2026-11-21 16:47:07 GMT\n",
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_recovery_is_known_by_its_lines(name: str) -> None:
    words = engine(name).log_words
    lines = words.of_process(CRASHES[name], 71)
    assert lines is not None
    assert "71" in lines[0]
    assert words.has_recovered(lines)
    told = words.recovering(lines)
    assert 3 <= len(told) < len(lines)
    assert not any("ready" in line for line in told)


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_start_has_none_of_them(name: str) -> None:
    words = engine(name).log_words
    lines = words.of_process(CLEAN[name], 71)
    assert lines is not None
    assert not words.has_recovered(lines)
    assert not words.has_begun(lines)


@pytest.mark.parametrize("name", CRASHES)
@pytest.mark.parametrize("process_id", [7, 1, 711, 91])
def test_the_log_of_another_process_is_not_taken(name: str, process_id: int) -> None:
    assert engine(name).log_words.of_process(CRASHES[name], process_id) is None


def test_what_the_process_before_said_is_left_out() -> None:
    words = engine("mariadb").log_words
    log = MARIADB + CLEAN["mariadb"].replace("process 71", "process 99")
    lines = words.of_process(log, 99)
    assert lines is not None
    assert not words.has_begun(lines)


@pytest.mark.parametrize("name", CRASHES)
@pytest.mark.parametrize("repeated", ["Starting ", "InnoDB: ", "LOG: ", "Applying a batch of 1"])
def test_no_line_takes_long(name: str, repeated: str) -> None:
    """The server's image writes what it likes. Squared, a line of a mebibyte takes minutes."""
    words, before = engine(name).log_words, time.process_time()
    log = CRASHES[name] + repeated * (2**20 // len(repeated))
    assert words.of_process(log, 72) is None
    lines = words.of_process(log, 71)
    assert lines is not None
    assert words.has_recovered(lines)
    assert words.recovering(lines)
    assert max(map(len, lines)) == 1000
    assert time.process_time() - before < 5
