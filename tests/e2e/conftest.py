"""One cluster and one installation for all end-to-end tests; each test brings its own campaign."""

import pytest

from tests.e2e.fixtures import installed, start
from tests.support.install import cluster, is_own
from tests.support.kube import Kube, import_images, node_names

__all__ = ["installed", "start"]


@pytest.fixture(scope="session", autouse=True)
def images(installed: Kube) -> None:
    """All images on all nodes; those that joined for the tests of nodes have a few of them."""
    if is_own() and len(node_names(installed)) > 1:
        import_images()


@pytest.fixture(scope="session")
def single_node() -> None:
    """For tests that need one node; on several they are skipped."""
    if is_own() and len(node_names(cluster())) > 1:
        pytest.skip("it is for one node, where `make test-full` runs it")
