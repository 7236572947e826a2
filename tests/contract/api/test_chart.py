"""A real API server takes all that the chart installs, however it is installed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import chart
from tests.support.apiserver import ApiServer
from tests.unit.chart.variants import VARIANTS

NARROW: dict[str, Any] = {
    "networkPolicy": {
        "databases": [{"cidr": "10.2.0.0/16", "ports": [5432]}],
        "nodes": ["10.0.0.0/24", "fd00::/64"],
        "apiServer": {"cidrs": ["10.96.0.1/32"]},
    }
}
FOREIGN = ("PodMonitor", "PrometheusRule", "ServiceMonitor")
"""Kinds of the Prometheus operator, which this server has not."""


@pytest.mark.parametrize("values", [*VARIANTS.values(), NARROW], ids=[*VARIANTS, "narrow"])
def test_the_api_server_takes_it(
    api_server: ApiServer, values: dict[str, Any], tmp_path: Path
) -> None:
    bodies = [body for body in chart.render(values).manifests if body["kind"] not in FOREIGN]
    for space in {body["metadata"].get("namespace") for body in bodies} - {None}:
        api_server.namespace(space)
    (file := tmp_path / "chart.yaml").write_text(yaml.dump_all(bodies, Dumper=yaml.CSafeDumper))
    dry = ("--server-side", "--dry-run=server", "--force-conflicts", "--validate=strict")
    taken = api_server.kubectl("apply", *dry, f"--filename={file}").splitlines()
    assert len(taken) == len(bodies)
    assert all(line.endswith("serverside-applied (server dry run)") for line in taken)
