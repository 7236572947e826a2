"""Rows of the catalogue, kinds of files, and the marker's statements."""

import subprocess
import sys

import pytest

from encbench.engines.marker import ROWS, table_name
from encbench.engines.postgresql import catalogue, marker


def test_rows_become_the_catalogue() -> None:
    assert catalogue.catalogue(
        [("ssl", "off"), ("pg_hba line 1", "local sbtest encbench_agent scram-sha-256")],
        [("tde_heap", "access method")],
        [("pg_default", ""), ("fast", "/mnt/fast"), ("pg_global", None)],
    ) == {
        "variables": {"ssl": "off", "pg_hba line 1": "local sbtest encbench_agent scram-sha-256"},
        "plugins": {"tde_heap": "access method"},
        "tablespaces": [
            {"name": "pg_default", "encrypted": False, "busy": False},
            {"name": "fast at /mnt/fast", "encrypted": False, "busy": False},
            {"name": "pg_global", "encrypted": False, "busy": False},
        ],
    }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data/pg_wal/000000010000000000000001", "redo"),
        ("data/pg_wal/archive_status/x", "other"),
        ("data/base/16384/16390", "table"),
        ("data/base/16384/16390.1", "table"),
        ("data/base/16384/16390_fsm", "table"),
        ("data/base/16384/1259", "system"),
        ("data/base/16384/2619_vm", "system"),
        ("data/base/16384/pg_filenode.map", "system"),
        ("data/base/1/16390", "system"),
        ("data/base/5/1259", "system"),
        ("data/base/pgsql_tmp/pgsql_tmp99.0", "temporary"),
        ("data/base/pgsql_tmp/pgsql_tmp99.0.sharedfileset/16390", "temporary"),
        ("data/global/1262", "system"),
        ("data/pg_xact/0000", "system"),
        ("data/postgresql.conf", "other"),
        (".s.PGSQL.5432.lock", "other"),
        ("initialised", "other"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert catalogue.kind_of(path) == kind


def test_the_marker_is_an_argument_and_never_text() -> None:
    text = "encbench-marker-" + "0" * 32
    table = table_name(text)
    planted = marker.plant(table, text)
    others = [marker.file_of(table), marker.drop(table), marker.LEFT_BEHIND]
    assert all(text not in statement for statement, _ in [*planted, *others])
    assert [arguments for _, arguments in planted if arguments] == [(text,) * ROWS]
    assert all(table in statement for statement, _ in planted[1:])


def test_the_agent_pays_for_the_standard_library_only() -> None:
    """It imports these at a twentieth of a core."""
    names = ("catalogue", "marker")
    imports = "; ".join(f"import encbench.engines.postgresql.{name}" for name in names)
    heavy = "('pydantic', 'yaml', 'encbench.api', 'encbench.engines.engine')"
    code = f"import sys; {imports}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"
