"""A value that is left blank (`key:`, which is null in YAML) is the default, or is refused by name.

Helm drops such a key, so that a template sees nothing where the chart's own values have something.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.chart import CHART, Manifest, Refused, render

Path = tuple[str, ...]

DEFAULTS: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
MAY_GO = ("podSecurityContext", "securityContext", "tolerations", "affinity", "labels")
"""What may be taken out of an installation: as a whole, or an entry of it."""

OWN_SERVICES: dict[str, Any] = {
    "minio": {"enabled": False},
    "objectStore": {"external": {"endpoint": "https://s3.example.com", "bucket": "results"}},
    "prometheus": {"enabled": False, "external": {"url": "https://prometheus.example.com"}},
}


def paths(values: dict[str, Any], above: Path = ()) -> Iterator[Path]:
    """Every value and every section of values, the outer ones first."""
    for key, value in values.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from paths(value, (*above, key))


def at(path: Path) -> Any:
    found: Any = DEFAULTS
    for key in path:
        found = found[key]
    return found


def blank(values: dict[str, Any], chosen: list[Path]) -> dict[str, Any]:
    """The values with a blank at each of these paths that has no value of its own."""
    made = copy.deepcopy(values)
    for *above, last in chosen:
        section = made
        for key in above:
            section = section.setdefault(key, {})
        section.setdefault(last, None)
    return made


def bodies(values: dict[str, Any]) -> list[Manifest]:
    """All objects, but for the keys that Helm generates anew each time."""
    return [
        {key: value for key, value in body.items() if (body["kind"], key) != ("Secret", "data")}
        for body in render(values).manifests
    ]


CHECKED = [path for path in paths(DEFAULTS) if not {*path} & {*MAY_GO}]
EMPTY = [path for path in CHECKED if not at(path)]
NEEDED = [path for path in CHECKED if at(path)]


@pytest.mark.parametrize("values", [{}, OWN_SERVICES], ids=["bundled", "own services"])
def test_what_is_empty_by_default_may_be_left_blank(values: dict[str, Any]) -> None:
    assert {("objectStore", "external", "clientEndpoint"), ("image", "tag")} <= {*EMPTY}
    assert bodies(blank(values, EMPTY)) == bodies(values)


@pytest.mark.parametrize("blanked", [{"labels": None}, {"labels": {"grafana_dashboard": None}}])
def test_a_dashboard_needs_no_label(blanked: dict[str, Any]) -> None:
    values = {"metrics": {"dashboard": {"enabled": True, **blanked}}}
    labels = render(values).one("ConfigMap", "dashboard")["metadata"]["labels"]
    assert "grafana_dashboard" not in labels
    assert "app.kubernetes.io/name" in labels


@pytest.mark.parametrize("depth", sorted({len(path) for path in NEEDED}))
def test_what_is_needed_is_refused_by_name_if_it_is_blank(depth: int) -> None:
    chosen = [path for path in NEEDED if len(path) == depth]
    with pytest.raises(Refused) as refused:
        render(blank({}, chosen))
    lines = [line.strip() for line in str(refused.value).splitlines()]
    for *above, last in chosen:
        beginning = f"- at '{''.join(f'/{key}' for key in above)}': missing propert"
        (line,) = [line for line in lines if line.startswith(beginning)]
        assert f"'{last}'" in line


@pytest.mark.parametrize(
    ("section", "field", "sentence"),
    [
        ("objectStore", "endpoint", "set objectStore.external.endpoint"),
        ("objectStore", "bucket", "set objectStore.external.bucket"),
        ("prometheus", "url", "set prometheus.external.url"),
    ],
)
def test_a_service_of_ones_own_needs_its_place(section: str, field: str, sentence: str) -> None:
    values = copy.deepcopy(OWN_SERVICES)
    values[section]["external"][field] = None
    with pytest.raises(Refused, match=sentence):
        render(values)
