"""The server's image: upstream's of each engine, and the template's own before it."""

import pytest

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.database.pod import server_image
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
