"""Markdown: what is text stays text, and tables are whole."""

from encbench.text.markdown import escaped, table


def test_nothing_is_taken_for_markup() -> None:
    assert escaped("a|b *c* _d_ `e` <f> g\\h") == "a\\|b \\*c\\* \\_d\\_ \\`e\\` \\<f> g\\\\h"
    assert escaped("[a](b)\nc") == "[a]\\(b) c"


def test_numbers_are_flush_right() -> None:
    assert table(["arm", "a_b"], [["tde", "1.0"]], {1}).splitlines() == [
        "| arm | a\\_b |",
        "| --- | ---: |",
        "| tde | 1.0 |",
    ]
