"""Which namespace is meant where none is named."""

from pathlib import Path

import pytest

from encbench.adapters.kubernetes import current_namespace

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: "https://example.com"}}]
users: [{name: u, user: {}}]
contexts:
- {name: there, context: {cluster: c, user: u, namespace: other}}
- {name: here, context: {cluster: c, user: u%s}}
"""


@pytest.mark.parametrize(("given", "found"), [(", namespace: bench", "bench"), ("", "default")])
def test_it_is_that_of_the_current_context(
    given: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config"
    path.write_text(KUBECONFIG % given)
    monkeypatch.setenv("KUBECONFIG", str(path))
    assert current_namespace() == found


def test_it_is_default_without_a_kubeconfig(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    assert current_namespace() == "default"
