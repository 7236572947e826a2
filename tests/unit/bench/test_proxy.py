"""What the proxy's benchmark says of a value's cost."""

import pytest

from tests.bench.proxy import report_values
from tests.support.confidential import AES, SM4


def test_the_upper_end_of_all_rounds_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """The least round of AES would be as asked."""
    aes, sm4 = f"{AES} 250 310 320 330", f"{SM4} 1000 1010 1020 1030"
    assert not report_values(f"{aes}\n{sm4}\n")
    said = capsys.readouterr().out
    assert said.count("MISSED") == 1
    assert f"{AES}: 301 [" in said
    assert report_values(sm4)
