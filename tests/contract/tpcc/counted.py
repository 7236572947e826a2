"""What a server counted by itself: each statement on TPC-C's tables, its calls and its rows."""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from tests.support import mariadb, mysql, postgres

_PERFORMANCE_SCHEMA = {"performance_schema": "ON"}
SERVERS: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "postgresql": lambda: postgres.running(
        {}, overrides={"shared_preload_libraries": "pg_stat_statements"}
    ),
    "mysql": lambda: mysql.running({}, overrides=_PERFORMANCE_SCHEMA),
    "mariadb": lambda: mariadb.running({}, overrides=_PERFORMANCE_SCHEMA),
}
"""Servers that count."""

_RESET = {
    "postgresql": (
        "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
        "SELECT pg_stat_statements_reset()",
    ),
    "mysql": ("TRUNCATE TABLE performance_schema.events_statements_summary_by_digest",),
}
_DIGESTS = """
    SELECT digest_text, count_star, sum_rows_sent
    FROM performance_schema.events_statements_summary_by_digest WHERE digest_text IS NOT NULL"""
_READ = {"postgresql": "SELECT query, calls, rows FROM pg_stat_statements", "mysql": _DIGESTS}


@dataclass(frozen=True)
class Counted:
    """One statement."""

    text: str
    """In lower case and without quotes."""
    calls: int
    rows: int
    """That it returned."""

    @property
    def cells(self) -> int:
        """Values in the rows that it returned."""
        return self.rows * _columns(self.text)


class Counts:
    """The statements since the last reset."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._family = "postgresql" if server.engine == "postgresql" else "mysql"

    def reset(self) -> None:
        """Count anew."""
        self._server.admin(*_RESET[self._family])

    def read(self) -> list[Counted]:
        """Those on TPC-C's tables."""
        rows = self._server.admin(_READ[self._family])
        found = [
            Counted(" ".join(str(text).lower().replace("`", "").split()), int(calls), int(sent))
            for text, calls, sent in rows
        ]
        return [one for one in found if "bmsql_" in one.text and "bmsql_config" not in one.text]


def calls(counted: list[Counted], *words: str) -> int:
    """How often the statements with all these words were executed."""
    return sum(one.calls for one in counted if all(word in one.text for word in words))


def rows(counted: list[Counted], *words: str) -> int:
    """How many rows they returned."""
    return sum(one.rows for one in counted if all(word in one.text for word in words))


def _columns(text: str) -> int:
    """How many columns its result has; 0 without one."""
    text = _main(text)
    if text.startswith("select "):
        listed = _up_to_from(text.removeprefix("select "))
    elif found := re.search(r" returning (.*)$", text):
        listed = found[1]
    else:
        return 0
    depth, columns = 0, 1
    for letter in listed:
        depth += (letter == "(") - (letter == ")")
        columns += letter == "," and depth == 0
    return columns


def _main(text: str) -> str:
    """The statement behind WITH."""
    if not text.startswith("with "):
        return text
    return text[_outside(text, " select ", " update ") + 1 :]


def _up_to_from(text: str) -> str:
    """The list before the first FROM that is in no parentheses."""
    return text[: _outside(text, " from ")]


def _outside(text: str, *words: str) -> int:
    """Where the first of these words is that is in no parentheses."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and text.startswith(words, place):
            return place
    raise AssertionError(f"none of{words}: {text}")
