"""Rows of the catalogue, kinds of files, the marker's table."""

from collections.abc import Callable, Sequence

import pytest

from encbench.engines.innodb import marker as innodb_marker
from encbench.engines.marker import ROWS, Statement
from encbench.engines.mysql import catalogue, flavour, marker
from encbench.engines.mysql.flavour import LAST


def test_the_rows_of_a_server() -> None:
    made = catalogue.catalogue(
        [("log_bin", "ON")],
        [("component_keyring_file", "ACTIVE")],
        [("mysql", "Y", "0"), ("innodb_undo_001", "N", "3")],
        [("binlog.000001", 180, "Yes"), ("binlog.000002", 180, "No")],
        [("Ssl_server_not_after", "")],
        [("sbtest1", "MyISAM"), ("broken", None)],
    )
    assert made == {
        "variables": {"log_bin": "ON", "Ssl_server_not_after": ""},
        "plugins": {"component_keyring_file": "ACTIVE"},
        "tablespaces": [
            {"name": "mysql", "encrypted": True, "busy": False},
            {"name": "innodb_undo_001", "encrypted": False, "busy": True},
        ],
        "binaryLogs": [
            {"name": "binlog.000001", "encrypted": True},
            {"name": "binlog.000002", "encrypted": False},
        ],
        "otherTables": {"sbtest1": "MyISAM", "broken": "None"},
    }


def test_5_7_does_not_tell_of_its_binary_logs() -> None:
    made = catalogue.catalogue([], [], [], [("binlog.000001", 180)], [], [])
    assert made["binaryLogs"] == [{"name": "binlog.000001", "encrypted": False}]


def test_dirty_pages_are_waited_for() -> None:
    assert catalogue.busy([("mysql", "Y", "1")])
    assert not catalogue.busy([("mysql", "Y", "0")])
    assert not catalogue.busy([])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data/#innodb_redo/#ib_redo5", "redo"),
        ("data/#innodb_redo/#ib_redo37_tmp", "redo"),
        ("data/ib_logfile0", "redo"),
        ("data/undo_001", "undo"),
        ("data/undo001", "undo"),
        ("data/ibdata1", "system"),
        ("data/mysql.ibd", "system"),
        ("data/ibtmp1", "temporary"),
        ("data/#innodb_temp/temp_10.ibt", "temporary"),
        ("data/#ib_16384_0.dblwr", "doublewrite"),
        ("data/#ib_16384_1.bdblwr", "doublewrite"),
        ("data/binlog.000001", "binlog"),
        ("data/binlog.index", "other"),
        ("data/sbtest/sbtest1.ibd", "table"),
        ("data/sys/sys_config.ibd", "table"),
        ("data/sbtest/mysql.ibd", "table"),
        ("data/mysql/general_log.CSV", "other"),
        ("keyring/keyring", "other"),
        ("program/mysqld", "other"),
        ("initialised", "other"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert catalogue.kind_of(path) == kind


def test_the_echo_is_another_text_of_the_same_length() -> None:
    text = "encbench-marker-" + "0" * 31 + "1"
    echo = marker.echo(text)
    assert len(echo) == len(text)
    assert text not in echo + echo
    assert echo not in text + text


def test_marker_and_echo_are_parameters() -> None:
    text = "encbench-marker-" + "0" * 31 + "1"
    statements = marker.plant("encbench_marker_1", text)
    words = " ".join(statement for statement, _ in statements)
    assert text not in words
    assert marker.echo(text) not in words
    given = [value for _, values in statements for value in values]
    assert given.count(text) == ROWS
    assert given.count(marker.echo(text)) == ROWS + 1
    assert all(statement.count("%s") == len(values) for statement, values in statements)


@pytest.mark.parametrize("plant", [marker.plant, innodb_marker.plant])
def test_every_text_is_ascii_whatever_the_server_s_character_set_is(
    plant: Callable[[str, str], Sequence[Statement]],
) -> None:
    """With utf16, a letter would have two bytes, and no search would find the marker."""
    create = " ".join(plant("encbench_marker_1", "encbench-marker-" + "0" * 32)[0][0].split())
    assert create.startswith("CREATE TABLE")
    assert create.count("VARCHAR(128)") == create.count("VARCHAR(128) CHARACTER SET ascii") > 0


@pytest.mark.parametrize(
    ("version", "number"),
    [("8.0", (8, 0, LAST)), ("8.0.28", (8, 0, 28)), ("9", (9, LAST, LAST)), ("5.7", (5, 7, LAST))],
)
def test_a_short_number_is_the_last_of_its_series(version: str, number: tuple[int, ...]) -> None:
    assert flavour.number(version) == number
