"""A CPU limit that no node enforces."""

from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study


def test_a_client_beyond_its_limit_had_none() -> None:
    found = report_of(Study(concurrency=(64,), client_cpu=2.4))
    (caveat,) = [one for one in found.caveats if one.title == "A node does not enforce CPU limits"]
    assert caveat.weight == "serious"
    assert caveat.text.startswith("In 18 of 18 counted trials a client used more CPU than the ")
    assert {row.saturation for row in found.groups[0].rows} == {"NotMeasured"}
    assert "The client was near its limit" not in {one.title for one in found.caveats}
    assert found.groups[0].comparisons[0].capacity is None
