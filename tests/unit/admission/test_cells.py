"""Matrices whose arms no name would tell apart."""

import pytest

from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.ports import Body
from tests.support import manifests
from tests.unit.admission.test_checks import SPACE, admitted, study


def modes(*names: str) -> list[Body]:
    return [manifests.body(ENCRYPTION_MODE, name, SPACE) for name in names]


def entry(*mode_refs: str, instances: str = "small", workloads: str = "oltp") -> Body:
    return {
        "instanceRefs": instances.split(),
        "modeRefs": [*mode_refs],
        "workloadRefs": workloads.split(),
    }


async def refused(*changed: Body) -> list[Problem]:
    reasons = (Reason.NAMES_ALIKE,)
    return [problem for problem in await admitted(*changed) if problem.reason in reasons]


@pytest.mark.parametrize(
    ("baseline", "treatments", "end"),
    [
        ("plain", ["tls-1.2", "tls-1-2"], "that of EncryptionMode tls-1.2: rename one of them"),
        ("plain", ["a--b", "a-b"], "that of EncryptionMode a--b: rename one of them"),
        ("plain.text", ["plain-text"], "that of EncryptionMode plain.text: rename one of them"),
        (
            "plain.text",
            ["plain-text-control"],
            "that of the baseline's second measurement, plain-text-control: rename it",
        ),
    ],
)
async def test_arms_whose_testbeds_would_be_one(
    baseline: str, treatments: list[str], end: str
) -> None:
    matrix = [entry(*treatments)]
    own = study(matrix=matrix, baselineModeRef=baseline)
    (problem,) = await refused(own, *modes(baseline, *treatments))
    assert (problem.kind, problem.subject) == (ENCRYPTION_MODE, treatments[-1])
    assert problem.reason is Reason.NAMES_ALIKE
    assert problem.text.startswith(f"EncryptionMode {treatments[-1]}: names of testbeds have one")
    assert problem.text.endswith(end)


async def test_modes_that_never_meet_may_have_names_alike() -> None:
    matrix = [entry("tls-1.2"), entry("tls-1-2", instances="big")]
    big = manifests.body(INSTANCE_TEMPLATE, "big", SPACE)
    assert not await refused(study(matrix=matrix), big, *modes("tls-1.2", "tls-1-2"))
