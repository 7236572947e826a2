"""The lines in which a client tells what its session negotiated, and what its driver read."""

import re
from pathlib import Path

import pytest

from encbench.core.tls import PLAIN, TlsSession
from encbench.tools import session
from encbench.tools.session import columns, session_count, sessions

LINE = "encbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256"
TLS = TlsSession(tls="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256")
NONE = "encbench-session tls=none cipher=none"
DIGEST = "0123456789abcdef" * 4


def test_it_stands_anywhere_on_a_line_of_its_own() -> None:
    assert sessions(f"sysbench 1.0.20\n\n{LINE}\nThreads started!\n") == (TLS,)
    assert sessions(NONE) == (PLAIN,)


def test_the_same_told_twice_is_one_session_and_two_questions() -> None:
    output = f"{LINE}\n{LINE}\n"
    assert sessions(output) == (TLS,)
    assert session_count(output) == 2


def test_sessions_that_differ_are_both_there() -> None:
    assert sessions(f"{LINE}\n{NONE}\n") == (TLS, PLAIN)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Threads started!\n",
        f"  {LINE}\n",
        f"{LINE} and more\n",
        "encbench-session tls= cipher=\n",
        "encbench-session tls=TLSv1.3\n",
    ],
)
def test_anything_else_tells_nothing(output: str) -> None:
    assert sessions(output) == ()


def test_each_row_is_kept_in_order() -> None:
    output = (
        f"encbench-session tls=none cipher=none\nencbench-columns bmsql_item {DIGEST}\n"
        f"encbench-columns bmsql_new_order absent\nencbench {{}}\n"
        f"encbench-columns BMSQL_ITEM {DIGEST}\n"
    )
    assert columns(output) == (
        ("bmsql_item", DIGEST),
        ("bmsql_new_order", "absent"),
        ("bmsql_item", DIGEST),
    )


def test_a_damaged_row_is_not_told() -> None:
    assert columns(f"encbench-columns bmsql_item {DIGEST[:-1]}\n") == ()
    assert columns(f"x encbench-columns bmsql_item {DIGEST}\n") == ()
    assert columns("encbench-columns bmsql_item gone\n") == ()


def written(script: str, *values: str) -> str:
    """What one of sysbench's scripts writes with these values."""
    text = (Path(session.__file__).parent / "sysbench" / script).read_text()
    (form,) = re.findall(r'io\.write\(string\.format\("(encbench.*|\\n.*)",', text)
    return str(form.replace("\\n", "\n") % values)


def test_it_is_told_apart_from_a_line_that_is_left_unfinished() -> None:
    """A user's script may print without a newline before it connects."""
    said = f"preparing...{written('session.lua', 'none', 'none')}"
    assert sessions(said) == (PLAIN,)
    assert columns(f"{said}...{written('enclave.lua', DIGEST)}") == (("sbtest1", DIGEST),)
