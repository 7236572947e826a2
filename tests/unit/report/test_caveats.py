"""Each caveat appears when its fact holds, and not otherwise."""

import pytest

from encbench.report.document import Report
from encbench.report.model import build
from tests.data.report.synthetic import Study, write

CALM = Study(concurrency=(16,))


def report(study: Study) -> Report:
    index, bucket = write(study)
    return build(index, bucket.__getitem__)


def titles(study: Study) -> set[str]:
    return {caveat.title for caveat in report(study).caveats}


def test_a_calm_study_has_only_the_note_on_its_dataset() -> None:
    assert titles(CALM) == {"The dataset fits into memory"}


@pytest.mark.parametrize(
    ("study", "title"),
    [
        (Study(concurrency=(16,), colocated=True), "Client and database shared a node"),
        (Study(concurrency=(16,), noise=0.05), "The noise floor is wider than the margin"),
        (Study(concurrency=(16,), blocks=3), "Few blocks"),
        (Study(concurrency=(16,), client_cpu=0.9), "The client was near its limit"),
        (Study(concurrency=(1,)), "The server was never saturated"),
        (Study(concurrency=(16,), seconds=20), "Short windows"),
        (Study(concurrency=(16,), flags=("fpu",)), "No AES instructions"),
        (Study(concurrency=(4, 16)), "Several comparisons"),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Fewer valid blocks than planned",
        ),
        (
            Study(concurrency=(16,), always={"tde": ("Invalid", "ProofFailed")}),
            "Many trials did not succeed",
        ),
        (
            Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})),
            "Server CPU withheld",
        ),
    ],
)
def test_caveat(study: Study, title: str) -> None:
    assert title in titles(study)


def test_serious_ones_come_first() -> None:
    found = report(Study(concurrency=(16,), colocated=True, blocks=3, seconds=20))
    weights = [caveat.weight for caveat in found.caveats]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == "serious"


def test_withheld_cpu_says_why() -> None:
    found = report(Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})))
    text = next(c.text for c in found.caveats if c.title == "Server CPU withheld")
    assert text.startswith("In 1 of 18 counted trials there is no CPU of the server, for instance ")
    assert "because: the alignment error of 3.1 % is above 2 %" in text
