"""A real API server takes the chart's NetworkPolicies and roles, however it is installed."""

from typing import Any

import pytest

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
URLS = {
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
}


@pytest.mark.parametrize("values", [*VARIANTS.values(), NARROW], ids=[*VARIANTS, "narrow"])
def test_the_api_server_takes_it(api_server: ApiServer, values: dict[str, Any]) -> None:
    rendered = chart.render(values)
    for kind, url in URLS.items():
        for body in rendered.all(kind):
            space = body["metadata"].get("namespace", "")
            if space:
                api_server.namespace(space)
            query = "?dryRun=All&fieldValidation=Strict"
            status, answer = api_server.request("POST", url.format(space) + query, body)
            assert status == 201, answer
