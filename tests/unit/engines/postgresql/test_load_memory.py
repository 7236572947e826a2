"""How many index builds of a load the server's memory holds at once."""

import re

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.postgresql.load_memory import index_builds
from encbench.engines.registry import engine
from tests.support.testbeds import instance
from tests.unit.engines.postgresql.golden import INSTANCE, spec


def resources(memory: str) -> dict[str, str]:
    return {"cpu": "4", "memory": memory}


@pytest.mark.parametrize(
    ("memory", "settings", "builds"),
    [
        ("16Gi", {"shared_buffers": "12GB", "maintenance_work_mem": "1GB"}, 3),
        # Without a unit it counts kB, while shared_buffers counts pages of 8 kB.
        ("16Gi", {"shared_buffers": "1572864", "maintenance_work_mem": "1048576"}, 3),
        ("4Gi", {"shared_buffers": "3GB"}, 14),
        ("1Gi", {}, 11),
        ("128Mi", {}, 1),
        ("1Gi", {"maintenance_work_mem": "a lot"}, 11),
    ],
)
def test_they_and_their_sessions_fit_beside_the_pool(
    memory: str, settings: dict[str, str], builds: int
) -> None:
    assert index_builds(spec({}, resources=resources(memory), settings=settings)) == builds


def problems(memory: str, **settings: str) -> list[str]:
    made = instance(**{**INSTANCE, "resources": resources(memory), "settings": settings})
    template = InstanceTemplateSpec.model_validate(made)
    found = engine("postgresql").problems(template, EncryptionModeSpec())
    return [problem.text for problem in found]


@pytest.mark.parametrize(
    ("memory", "settings"),
    [
        ("4Gi", {"shared_buffers": "3GB", "maintenance_work_mem": "1100MB"}),
        ("1Gi", {"maintenance_work_mem": "1GB"}),
    ],
)
def test_one_that_does_not_fit_is_refused_with_a_size(
    memory: str, settings: dict[str, str]
) -> None:
    (problem,) = problems(memory, **settings)
    asked = settings["maintenance_work_mem"]
    assert problem.startswith(f"settings.maintenance_work_mem of {asked} does not fit into ")
    found = re.search(r"write ([0-9]+)MB or less", problem)
    assert found
    assert problems(memory, **{**settings, "maintenance_work_mem": f"{found[1]}MB"}) == []
    more = f"{int(found[1]) + 1}MB"
    assert problems(memory, **{**settings, "maintenance_work_mem": more}) != []


def test_less_work_memory_leaves_more_to_the_pool() -> None:
    assert problems("256Mi", shared_buffers="180MB", maintenance_work_mem="16MB") == []
    (problem,) = problems("256Mi", shared_buffers="180MB")
    assert "write 169MB or less" in problem


@pytest.mark.parametrize("memory", ["128Mi", "160Mi", "256Mi", "320Mi", "512Mi", "1Gi", "4Gi"])
def test_beside_the_largest_pool_there_is_room_for_the_default(memory: str) -> None:
    """A pool that is too large is said once, with a size that is good."""
    (problem,) = problems(memory, shared_buffers="64GB", maintenance_work_mem="64MB")
    found = re.search(r"write ([0-9]+)MB or less", problem)
    assert found
    pool = f"{found[1]}MB"
    assert problems(memory, shared_buffers=pool) == []
    assert problems(memory, shared_buffers=pool, maintenance_work_mem="64MB") == []
