"""What our client says of rows that its driver read."""

from encbench.tools.columns import lines

DIGEST = "0123456789abcdef" * 4


def test_each_line_is_kept_in_order() -> None:
    output = (
        f"encbench-session tls=none cipher=none\nencbench-columns bmsql_item {DIGEST}\n"
        f"encbench-columns bmsql_new_order absent\nencbench {{}}\n"
        f"encbench-columns BMSQL_ITEM {DIGEST}\n"
    )
    assert lines(output) == (
        ("bmsql_item", DIGEST),
        ("bmsql_new_order", "absent"),
        ("bmsql_item", DIGEST),
    )


def test_what_is_damaged_is_not_told() -> None:
    assert lines(f"encbench-columns bmsql_item {DIGEST[:-1]}\n") == ()
    assert lines(f"x encbench-columns bmsql_item {DIGEST}\n") == ()
    assert lines("encbench-columns bmsql_item gone\n") == ()
