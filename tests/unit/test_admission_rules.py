"""What the operator says at its start about the admission policies."""

from encbench.__main__ import admission_rules
from encbench.api.kinds import POLICY_BINDING
from encbench.ports import Unavailable
from tests.support.fake_cluster import FakeCluster

BOTH = ["x-references", "x-records"]


def with_bindings(*names: str) -> FakeCluster:
    cluster = FakeCluster()
    for name in names:
        cluster.add(POLICY_BINDING, {"metadata": {"name": name}})
    return cluster


async def test_it_names_the_policies_in_force_and_the_missing_ones() -> None:
    said = await admission_rules(with_bindings(*BOTH), BOTH)
    assert said.endswith("ValidatingAdmissionPolicies in force: x-references, x-records")
    said = await admission_rules(with_bindings("x-records"), BOTH)
    assert said.endswith("in force: x-records; missing: x-references")
    said = await admission_rules(with_bindings(), BOTH)
    assert said.endswith("in force: none; missing: x-references, x-records")


async def test_without_policies_it_says_what_it_checks_itself() -> None:
    said = await admission_rules(with_bindings(), [])
    assert said.startswith("the operator checks the chart's lists and the label encbench.io/use")
    assert "no ValidatingAdmissionPolicy" in said


async def test_it_starts_without_an_api_server() -> None:
    cluster = with_bindings(*BOTH)
    cluster.fail_next(Unavailable("connection refused"), verb="get")
    said = await admission_rules(cluster, BOTH)
    assert said.endswith("is unknown: connection refused")
