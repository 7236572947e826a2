"""docs/conformance.md: its table is what the tests expect."""

from tests.contract.conformance.clients import CLIENTS
from tests.contract.conformance.outcomes import LIBRARIES, OUTCOMES, REFUSED, WORKS, table
from tests.support.chart import REPO


def test_the_page_has_the_table() -> None:
    page = (REPO / "docs/conformance.md").read_text(encoding="utf-8")
    assert table() in page, f"replace the table in docs/conformance.md with this:\n{table()}"


def test_every_row_has_its_test() -> None:
    works = {name for name, one in OUTCOMES.items() if one.outcome == WORKS}
    refused = {name for name, one in OUTCOMES.items() if one.outcome == REFUSED}
    assert works == {*CLIENTS, *LIBRARIES}
    assert refused == {"mysqldump"}
