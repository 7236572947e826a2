"""Values that make no sense are refused, in words that say what to do."""

from typing import Any

import pytest

from tests.support.chart import Refused, render
from tests.unit.chart.variants import EXTERNAL


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"watchNamespace": ["a"]}, ["additional properties 'watchNamespace' not allowed"]),
        ({"watchNamespaces": "a"}, ["/watchNamespaces", "want array"]),
        ({"watchNamespaces": ["A_b"]}, ["/watchNamespaces/0", "does not match pattern"]),
        ({"image": {"pullPolicy": "Sometimes"}}, ["/image/pullPolicy", "'IfNotPresent'"]),
        ({"image": {"tag": "a b"}}, ["/image/tag"]),
        ({"allowed": {"images": ["a b"]}}, ["/allowed/images/0", "does not match pattern"]),
        ({"allowed": {"images": ["r.example.com:5000/db/mariadb:10.11"]}}, ["/allowed/images/0"]),
        ({"allowed": {"images": ["mariadb:10.11"]}}, ["/allowed/images/0"]),
        ({"servers": {"mariadb": "mariadb:10.11"}}, ["/servers/mariadb", "does not match pattern"]),
        ({"servers": {"mysql": "r.example.com:5000/mysql:8.4"}}, ["/servers/mysql"]),
        ({"tools": {"tpcc": {"repository": "encbench/tpcc:1"}}}, ["/tools/tpcc/repository"]),
        ({"measured": {"podLabels": {"a b": "c"}}}, ["/measured/podLabels", "pattern"]),
        ({"measured": {"podLabels": {"team": "a b"}}}, ["/measured/podLabels/team", "pattern"]),
        ({"measured": {"podLabels": {"team": 64 * "a"}}}, ["/measured/podLabels/team", "pattern"]),
        ({"measured": {"podAnnotations": {"/a": "c"}}}, ["/measured/podAnnotations", "pattern"]),
        ({"operator": {"podLabels": {"team": "-a"}}}, ["/operator/podLabels/team", "pattern"]),
        ({"allowed": {"hosts": ["https://db"]}}, ["/allowed/hosts/0", "does not match pattern"]),
        ({"allowed": {"hosts": ["10.0.0.5:3306"]}}, ["/allowed/hosts/0", "does not match pattern"]),
        ({"allowed": {"hosts": ["[2001:db8::5]"]}}, ["/allowed/hosts/0", "does not match pattern"]),
        ({"global": {"imageRegistry": "https://r"}}, ["/global/imageRegistry"]),
        ({"global": {"imagePullSecrets": [{"names": "r"}]}}, ["/global/imagePullSecrets/0"]),
        ({"imagePullSecrets": [{"name": "r"}]}, ["/imagePullSecrets/0", "want string"]),
        ({"servers": {"oracle": "o"}}, ["'oracle' not allowed"]),
        ({"tools": {"sysbench": {"pullPolicy": "Always"}}}, ["'pullPolicy' not allowed"]),
        ({"image": {"tag": 1.1}}, ["/image/tag", "want string"]),
        ({"operator": {"logLevel": "loud"}}, ["/operator/logLevel", "'debug', 'info', 'warning'"]),
        ({"operator": {"replica": 2}}, ["'replica' not allowed"]),
        ({"operator": {"replicas": "two"}}, ["/operator/replicas", "want integer"]),
        ({"operator": {"resources": {"limits": {"cpu": "lots"}}}}, ["/limits/cpu"]),
        ({"privilegedVolumes": {"enabled": "yes"}}, ["/privilegedVolumes/enabled", "want boolean"]),
        ({"minio": {"bucket": "Not_A_Bucket"}}, ["/minio/bucket"]),
        ({"prometheus": {"retention": "long"}}, ["/prometheus/retention"]),
        ({"objectStore": {"external": {"endpoint": "s3.example.com"}}}, ["/endpoint"]),
        # botocore makes no client of such a host.
        ({"objectStore": {"external": {"endpoint": "http://minio_lan:9000"}}}, ["/endpoint"]),
        ({"objectStore": {"external": {"clientEndpoint": "http://a_b"}}}, ["/clientEndpoint"]),
        ({"objectStore": {"external": {"secretKey": "x"}}}, ["'secretKey' not allowed"]),
        ({"nodeExporter": {"tolerations": [{"effect": "Never"}]}}, ["/effect"]),
        ({"allowed": {"storageClasses": [""]}}, ["/allowed/storageClasses/0", "minLength"]),
        # Without ports, or without peers, a rule of a NetworkPolicy allows all of them.
        ({"networkPolicy": {"dns": {"ports": []}}}, ["/networkPolicy/dns/ports", "minItems"]),
        ({"networkPolicy": {"dns": {"peers": []}}}, ["/networkPolicy/dns/peers", "minItems"]),
        ({"networkPolicy": {"apiServer": {"ports": []}}}, ["/apiServer/ports", "minItems"]),
        (
            {"networkPolicy": {"databases": [{"cidr": "10.0.0.0/8", "ports": []}]}},
            ["/databases/0/ports", "minItems"],
        ),
        (
            {"networkPolicy": {"operator": [{"cidr": "10.0.0.0/8", "ports": []}]}},
            ["/operator/0/ports", "minItems"],
        ),
    ],
)
def test_the_schema_says_where_and_why(values: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        render(values)
    for word in words:
        assert word in str(refused.value)


def test_names_of_registries_with_a_port_are_no_tags() -> None:
    images = ["r.example.com:5000", "r.example.com:5000/", "r:5000/db", "docker.io/encbench/tpcc"]
    servers = {"mariadb": "r.example.com:5000/db/mariadb", "mysql": "mysql"}
    servers["postgresql-enclave"] = "r.example.com:5000/postgresql:15-mine"
    tools = {"tpcc": {"repository": "localhost:5000/tpcc"}}
    marks = {"example.com/team.a": 63 * "a", "b_c": ""}
    render(
        {
            "allowed": {"images": images},
            "servers": servers,
            "tools": tools,
            "measured": {"podLabels": marks, "podAnnotations": {"a.b/c": "any text: at all"}},
        }
    )


STORE = {"endpoint": "https://s3.example.com", "bucket": "results", "existingSecret": "keys"}


@pytest.mark.parametrize("field", ["endpoint", "bucket"])
def test_without_minio_another_store_is_needed(field: str) -> None:
    some = {name: value for name, value in STORE.items() if name != field}
    with pytest.raises(Refused, match=rf"minio.enabled is false.*set objectStore.external.{field}"):
        render({"minio": {"enabled": False}, "objectStore": {"external": some}})


def test_without_prometheus_another_source_is_needed() -> None:
    with pytest.raises(Refused, match=r"set prometheus\.external\.url"):
        render({"prometheus": {"enabled": False}})


def test_without_the_releases_namespace_another_is_needed() -> None:
    with pytest.raises(Refused, match=r"watchReleaseNamespace is false.*set watchNamespaces"):
        render({"watchReleaseNamespace": False})


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({"objectStore": {"external": STORE}}, "set minio.enabled=false"),
        ({"prometheus": {"external": {"url": "http://p"}}}, "set prometheus.enabled=false"),
    ],
)
def test_what_would_not_be_used_is_not_passed_over(values: dict[str, Any], advice: str) -> None:
    with pytest.raises(Refused, match=advice):
        render(values)


@pytest.mark.parametrize("namespace", ["kube-system", "kube-node-lease"])
def test_leases_are_not_beside_those_of_kubernetes(namespace: str) -> None:
    with pytest.raises(Refused, match=f"leaseNamespace {namespace} has Leases of Kubernetes"):
        render({"leaseNamespace": namespace})


@pytest.mark.parametrize(
    ("root", "operator", "analyst", "both"),
    [
        ("", "one", "one", "operator and analyst"),
        ("one", "one", "two", "root and operator"),
        ("one", "two", "one", "root and analyst"),
        # Those that Helm generates for others.
        ("", "bench-encbench-minio", "", "root and operator"),
        ("bench-encbench-minio-analyst", "", "", "root and analyst"),
    ],
)
def test_the_stores_users_do_not_share_a_login(
    root: str, operator: str, analyst: str, both: str
) -> None:
    users = {"operator": {"existingSecret": operator}, "analyst": {"existingSecret": analyst}}
    with pytest.raises(Refused, match=f"users {both} would .* give each user a login of its own"):
        render({"minio": {"existingSecret": root, "users": users}})
    unused = {"enabled": False, "existingSecret": root, "users": users}
    render({**EXTERNAL, "minio": unused})


@pytest.mark.parametrize(
    ("component", "name", "advice"),
    [
        ("operator", "POD_NAME", "leave it out"),
        ("minio", "MINIO_ROOT_USER_FILE", "minio.existingSecret"),
        ("minio", "MINIO_ROOT_PASSWORD_FILE", "minio.existingSecret"),
    ],
)
def test_what_the_pods_rest_on_is_not_replaced(component: str, name: str, advice: str) -> None:
    extra = [{"name": "HTTPS_PROXY", "value": "http://p:3128"}, {"name": name, "value": "theirs"}]
    with pytest.raises(Refused, match=f"{component}.extraEnv has {name}.*{advice}"):
        render({component: {"extraEnv": extra}})


def test_quantities_may_be_numbers() -> None:
    render({"operator": {"resources": {"limits": {"cpu": 1}}}})
