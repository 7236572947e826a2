"""The options file."""

import pytest

from encbench.tools.sysbench.options import options_file


def test_one_line_a_value() -> None:
    assert options_file("encbench", "0a1b", "sbtest") == (
        "mysql-user=encbench\nmysql-password=0a1b\nmysql-db=sbtest\n"
    )


@pytest.mark.parametrize("password", ["", "a b", "#a", "a,b", '"a"', "a\nb", "a" * 201])
def test_what_sysbench_would_not_read_back_is_refused(password: str) -> None:
    with pytest.raises(ValueError, match="mysql-password"):
        options_file("encbench", password, "sbtest")
