"""How much of the log a recovery would have to apply, from what servers say."""

from decimal import Decimal

import pytest

from encbench.engines.innodb import unwritten
from encbench.engines.postgresql import catalogue


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("Innodb_checkpoint_age", "58720763")], 58720763),
        (
            [
                ("Innodb_redo_log_checkpoint_lsn", "44789533"),
                ("Innodb_redo_log_current_lsn", "58730949"),
            ],
            13941416,
        ),
        ([("Innodb_redo_log_current_lsn", "58730949")], None),
        ([], None),
    ],
    ids=["MariaDB", "MySQL", "half of it", "an older server"],
)
def test_innodb(rows: list[tuple[str, str]], found: int | None) -> None:
    assert unwritten.redo_bytes(rows) == found


def test_postgresql() -> None:
    assert catalogue.redo_bytes([(Decimal("49406512"),)]) == 49406512
    assert catalogue.redo_bytes([]) is None
