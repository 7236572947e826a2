"""What MariaDB takes as a key file, and what is refused before a server sees it."""

import pytest

from encbench.engines.mariadb.keys import fresh, unfit

DIGITS = "0123456789abcdefABCDEF0000000000"


@pytest.mark.parametrize(
    "text",
    [
        fresh(lambda count: "ab" * count),
        f"1;{DIGITS}",
        f"# of 2024\r\n\r\n1;{DIGITS * 2}\r\n2;{DIGITS[:16] * 3}\r\n",
        f" \t\v\f1;{DIGITS} \r",
        f"01;{DIGITS}\n4294967295;{DIGITS}",
    ],
)
def test_key_files(text: str) -> None:
    assert unfit(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a key file"),
        ("# nothing", "is not a key file"),
        ("a-root-password-of-40-characters-0123456", "is not a key file"),
        (f"1:{DIGITS}", "is not a key file"),
        (f"1;{DIGITS}\nsecret", "is not a key file"),
        (f"0;{DIGITS}\n1;{DIGITS}", "number is not from 1 to 4294967295"),
        (f"1;{DIGITS}\n4294967296;{DIGITS}", "number is not from 1 to 4294967295"),
        (f"\u00a01;{DIGITS}", "is not a key file"),
        (f"1;{DIGITS}\u00a0", "is not a key file"),
        (f"# c\u20281;{DIGITS}", "is not a key file"),
        (f"# c\r1;{DIGITS}", "is not a key file"),
        (f"1;{DIGITS}\v2;{DIGITS}", "is not a key file"),
        (f"1;{DIGITS}\n\r", "is not a key file"),
        (f"# \0\n1;{DIGITS}", "is not a key file"),
        (f"1;{DIGITS}0", "not of 128, 192 or 256 bits"),
        (f"2;{DIGITS}", "no key with the number 1"),
    ],
)
def test_what_is_none_is_not_repeated(text: str, why: str) -> None:
    said = unfit(text)
    assert said is not None
    assert why in said
    assert not any(part in said for part in (DIGITS, "secret", "root"))
