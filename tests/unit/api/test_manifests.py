"""The corpus against the models; tests/contract/api puts the same to the API server."""

import pytest

from encbench.api.resources import RESOURCES, problems
from tests.support.corpus import Case, cases


@pytest.mark.parametrize("case", cases("accept"), ids=lambda case: case.name)
def test_accepted(case: Case) -> None:
    assert not case.refused
    assert problems(case.kind, case.body, case.before) == []


@pytest.mark.parametrize("case", cases("reject"), ids=lambda case: case.name)
def test_refused_with_a_remedy(case: Case) -> None:
    assert case.before is None or problems(case.kind, case.before) == []
    said = "\n".join(problems(case.kind, case.body, case.before))
    assert case.refused, "say what the refusal must contain"
    for fragment in case.refused:
        assert fragment in said


def test_every_kind_has_cases() -> None:
    for folder in ("accept", "reject"):
        assert {case.kind for case in cases(folder)} == {resource.kind for resource in RESOURCES}


def test_every_message_of_ours_is_in_the_corpus() -> None:
    """A rule without a case might say different things on the two sides."""
    claimed = "\n".join(fragment for case in cases("reject") for fragment in case.refused)
    missing = [
        message
        for message in _messages()
        if not any(part and part in message for part in claimed.splitlines() if len(part) > 15)
    ]
    assert not missing


def _messages() -> set[str]:
    from encbench.api.crd import schema

    found: set[str] = set()

    def walk(node: object) -> None:
        if isinstance(node, dict):
            found.update(rule["message"] for rule in node.get("x-kubernetes-validations", []))
            for part in node.values():
                walk(part)

    for resource in RESOURCES:
        walk(schema(resource))
    return found
