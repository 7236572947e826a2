"""The reference of report.json and trial.json: every field, with what the models say of it."""

import re

from encbench.api.pages import ROOT, stale
from encbench.report.document.trial import TrialView
from encbench.report.figures import FIGURES
from encbench.report.reference import PAGE, pages


def page() -> str:
    return pages()[PAGE]


def part(name: str) -> dict[str, list[str]]:
    """Type and description by field."""
    (own,) = re.findall(rf"(?ms)^## {name}\n(.*?)(?=^## |\Z)", page())
    rows = [line.strip("| ").split(" | ") for line in own.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_page_of_the_checkout_is_fresh() -> None:
    assert [*stale(ROOT, pages())] == []


def test_every_part_that_a_type_names_is_there() -> None:
    parts = {name.lower() for name in re.findall(r"(?m)^## (\w+)$", page())}
    assert set(re.findall(r"\(#(\w+)\)", page())) <= parts


def test_every_field_has_its_description() -> None:
    found = part("TrialView")
    assert set(found) == {field.alias for field in TrialView.model_fields.values()}
    assert found["queue"][0] == "[integer, integer]"
    assert found["serverStarted"][1].endswith("where it is not known.")
    assert part("RoundView")["allTransactions"] == ["integer", "Those of the whole slot."]


def test_only_a_field_without_a_value_is_left_out() -> None:
    cell = "string or integer or number or null"
    assert part("StudyTable")["rows"][0] == f"list of list of {cell}"
    assert "null" not in part("TrialView")["queue"][0]


def test_figures_have_their_columns_in_the_csv() -> None:
    shown = " ".join(cells[-1] for cells in part("Row").values())
    assert all(f"`{figure.column}`" in shown for figure in FIGURES)
