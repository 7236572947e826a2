"""Which differences between two versions of a report.json are reported."""

import copy
from typing import Any

import pytest

from encbench.report.verify.figures import differences

REPORT: dict[str, Any] = {
    "groups": [{"rows": [{"arm": "tde", "tps": 512.345, "verdict": "Overhead"}], "proven": True}],
    "headlines": [{"text": "It costs 8 %."}],
    "caveats": [{"title": "Few blocks"}],
    "studies": [
        {
            "name": "tpcc",
            "columns": [{"name": "mode"}, {"name": "tps"}],
            "rows": [["off", 512.0], ["on", None]],
        }
    ],
}


def found(written: Any, *, same_version: bool = True) -> list[str]:
    return [*differences(written, REPORT, same_version=same_version)]


def changed(**row: Any) -> dict[str, Any]:
    made = copy.deepcopy(REPORT)
    made["groups"][0]["rows"][0] |= row
    return made


@pytest.mark.parametrize("same_version", [True, False])
def test_figures_verdicts_and_names_are_compared_whatever_the_version(same_version: bool) -> None:
    place = "groups[0].rows[0]"
    for row, said in (
        ({"tps": 512.4}, f"{place}.tps is 512.4, and the records give 512.345"),
        (
            {"verdict": "Equivalent"},
            f"{place}.verdict is Equivalent, and the records give Overhead",
        ),
        ({"arm": "plain"}, f"{place}.arm is plain, and the records give tde"),
    ):
        assert found(changed(**row), same_version=same_version) == [said]
    assert found(changed(tps=512.346), same_version=same_version) == []


def test_true_is_no_number() -> None:
    made = copy.deepcopy(REPORT)
    made["groups"][0]["proven"] = 1
    assert found(made) == ["groups[0].proven is 1, and the records give True"]


def test_fields_and_words_count_within_one_version_alone() -> None:
    made = changed(more=1)
    del made["groups"][0]["proven"]
    made["headlines"][0]["text"] = "It costs a little."
    made["caveats"].append({"title": "Another"})
    assert found(made, same_version=False) == []
    assert found(made) == [
        "groups[0].rows[0].more is not what the records give",
        "groups[0].proven is missing",
        "headlines[0].text is It costs a little., and the records give It costs 8 %.",
        "caveats has 2 entries, and the records give 1",
    ]


def test_columns_of_a_study_are_compared_by_their_names() -> None:
    made = copy.deepcopy(REPORT)
    (study,) = made["studies"]
    study["columns"].insert(0, {"name": "new"})
    study["rows"] = [["x", *row] for row in study["rows"]]
    assert found(made, same_version=False) == []
    study["rows"][1][2] = 0
    said = "studies.tpcc.tps[1] is 0, and the records give None"
    assert found(made, same_version=False) == [said]


@pytest.mark.parametrize("same_version", [True, False])
@pytest.mark.parametrize(
    "made",
    [
        *(None, "no JSON", [], {"studies": [1]}, {"studies": [{}]}),
        {"studies": [{"name": "tpcc", "columns": [{"name": "mode"}], "rows": [[]]}]},
    ],
)
def test_what_is_no_report_differs(made: Any, same_version: bool) -> None:
    assert found(made, same_version=same_version)
