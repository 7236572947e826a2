"""Upstream's image of each engine, and the template's own before it."""

from typing import get_args

import pytest

from encbench.api.instancetemplate import EngineName, InstanceTemplateSpec
from encbench.engines.images import default_image, server_image
from encbench.engines.registry import engine
from tests.support.testbeds import instance


@pytest.mark.parametrize(
    ("name", "version", "image"),
    [
        ("mariadb", "10.11", "docker.io/library/mariadb:10.11"),
        ("mysql", "8.4", "docker.io/library/mysql:8.4"),
        ("percona", "8.0", "docker.io/percona/percona-server:8.0"),
        ("postgresql", "17", "docker.io/library/postgres:17"),
    ],
)
def test_upstream_s_image(name: str, version: str, image: str) -> None:
    body = instance(engine=name, version=version, image=None)
    assert server_image(InstanceTemplateSpec.model_validate(body)) == image
    own = {**body, "image": "registry.example.com/mine:1"}
    assert server_image(InstanceTemplateSpec.model_validate(own)) == "registry.example.com/mine:1"


@pytest.mark.parametrize("name", get_args(EngineName))
def test_every_engine_of_the_api_is_there_and_has_one(name: str) -> None:
    assert engine(name).name == name
    assert default_image(name, "1").endswith(":1")
