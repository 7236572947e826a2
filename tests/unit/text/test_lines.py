"""Text in the lines of a terminal."""

from encbench.text.lines import WIDTH, aligned, item, paragraph, unbroken, within


def test_no_break_within_a_figure() -> None:
    assert unbroken("7.8 % [6.1, 9.4] of TPS") == "7.8\u00a0% [6.1,\u00a09.4] of TPS"
    for filling in range(WIDTH):
        said = paragraph(f"{'x' * filling} 7.8 % [6.1, 9.4]")
        assert "\u00a0" not in said
        assert all("7.8 %" in line for line in said.splitlines() if "7.8" in line or "%" in line)
        assert all(line.count("[") == line.count("]") for line in said.splitlines())


def test_an_item_hangs_from_its_mark_and_keeps_names_whole() -> None:
    words = " ".join(["client-cpu-aes"] * 20)
    first, *more = item("12. ", words).splitlines()
    assert first.startswith("12. client-cpu-aes client")
    assert more
    assert all(line.startswith("    client-cpu-aes") for line in more)
    assert all(line.endswith("client-cpu-aes") for line in (first, *more))
    assert max(map(len, (first, *more))) <= WIDTH


def test_a_table_has_figures_flush_right_and_no_tail() -> None:
    rows = [["tde", "1,234.5", "ok"], ["plaintext", "9.0", "out of range"]]
    assert aligned(["mode", "tps", "verdict"], rows, [1]).splitlines() == [
        "MODE           TPS  VERDICT",
        "tde        1,234.5  ok",
        "plaintext      9.0  out of range",
    ]


def test_a_line_ends_with_a_whole_word_and_a_mark() -> None:
    line = "  block 3  1,271 TPS"
    assert within(line, len(line)) == line
    assert [within(line, width) for width in (19, 18, 17, 11, 10)] == [
        "  block 3  1,271 …",
        "  block 3  1,271 …",
        "  block 3 …",
        "  block 3 …",
        "  block …",
    ]
    assert within("x" * 40, 10) == "xxxxxxxxx…", "there is no end of a word"
