"""Matrices whose arms or cells no name would tell apart, and blocks beyond their numbers."""

from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.core.problem import Problem, Reason
from encbench.ports import Body
from tests.support import manifests
from tests.unit.admission.campaigns import SPACE, admitted, study


def modes(*names: str) -> list[Body]:
    return [manifests.body(ENCRYPTION_MODE, name, SPACE) for name in names]


def entry(*mode_refs: str, instances: str = "small", workloads: str = "oltp") -> Body:
    return {
        "instanceRefs": instances.split(),
        "modeRefs": [*mode_refs],
        "workloadRefs": workloads.split(),
    }


async def refused(*changed: Body) -> list[Problem]:
    reasons = (Reason.NAMES_ALIKE, Reason.MEASURED_TWICE, Reason.TOO_MANY_TRIALS)
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


@pytest.mark.parametrize(
    ("matrix", "twice"),
    [
        ([entry("enc"), entry("tls")], "small meets Workload oltp in"),
        ([entry("enc", "tls"), entry("tls", "enc")], "small meets Workload oltp in"),
        (
            [entry("enc", workloads="oltp reads"), entry("tls", workloads="oltp reads")],
            "small meets Workload oltp and reads in",
        ),
        ([entry("enc", instances="small big"), entry("tls", instances="big")], "big meets"),
        ([entry("enc"), entry("enc")], None),
        ([entry("enc"), entry("plain", "enc")], None),
        ([entry("enc"), entry("tls", workloads="reads")], None),
        ([entry("enc"), entry("tls", instances="big")], None),
    ],
)
async def test_one_instance_and_workload_in_two_cells(
    matrix: list[Body], twice: str | None
) -> None:
    others = [
        manifests.body(INSTANCE_TEMPLATE, "big", SPACE),
        manifests.body(WORKLOAD, "reads", SPACE),
        *modes("tls"),
    ]
    found = await refused(study(matrix=matrix), *others)
    assert [(one.kind, one.subject, one.reason) for one in found] == (
        [(CAMPAIGN, "study", Reason.MEASURED_TWICE)] if twice else []
    )
    assert all(f"InstanceTemplate {twice}" in one.text for one in found)


async def test_the_same_modes_in_another_order_are_not_called_different() -> None:
    matrix = [entry("enc", "tls"), entry("tls", "enc")]
    (problem,) = await refused(study(matrix=matrix), *modes("tls"))
    assert problem.text == (
        "matrix: InstanceTemplate small meets Workload oltp in several entries with the same "
        "modeRefs in another order, which would be measured twice: write them in the same order"
    )


@pytest.mark.parametrize(
    ("blocks", "precision", "field"),
    [
        ({"min": 1000, "maxReplacements": 1}, None, "blocks.min"),
        ({"min": 4, "max": 990, "maxReplacements": 11}, 0.02, "blocks.max"),
        ({"min": 1000, "maxReplacements": 0}, None, None),
        ({"min": 4, "max": 1000, "maxReplacements": 10}, None, None),
        ({"min": 4, "max": 990, "maxReplacements": 10, "solo": 50}, 0.02, None),
    ],
)
async def test_interleaved_blocks_have_numbers_below_the_solo_ones(
    blocks: dict[str, Any], precision: float | None, field: str | None
) -> None:
    target = {"precision": {"targetHalfWidth": precision}} if precision else {}
    assert not await refused(study(blocks=blocks | {"solo": 0}, **target))
    found = await refused(study(blocks=blocks | {"interleave": {"rounds": 4}}, **target))
    assert [(one.kind, one.text) for one in found] == (
        [
            (
                CAMPAIGN,
                f"{field} and blocks.maxReplacements together may take 1,001 numbers of "
                "blocks, and with blocks.interleave there are 1,000: lower one of them",
            )
        ]
        if field
        else []
    )
