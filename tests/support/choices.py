"""What the administrator's lists allow and refuse: one table for the operator and for its policy.

Every case is a change of a small valid object's spec.
"""

from typing import Any

from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from tests.support.manifests import SPECS

ALLOWED: dict[str, Any] = {
    "images": ["registry.example.com:5000/db", "docker.io/encbench/sysbench"],
    "hosts": ["db.example.com", "*.jars.example.com", "jar_host", "2001:db8::5"],
    "nodeLabels": ["disk=fast", "topology.kubernetes.io/zone"],
    "taints": ["benchmarks", "dedicated=team-a"],
    "storageClasses": ["fast", "luks"],
}
"""The chart's `allowed`."""
IMAGE = "registry.example.com:5000/db/mariadb:10.11"
"""One that is allowed."""
DIGEST = f"sha256:{'0' * 64}"

Case = tuple[Kind, dict[str, Any], bool]
"""The kind, fields of its spec, and whether the lists allow it."""


def _placed(**placement: Any) -> dict[str, Any]:
    return {"image": IMAGE, "placement": placement}


def _client(**more: Any) -> dict[str, Any]:
    image = "docker.io/encbench/sysbench:1.0.20"
    return {"client": {**SPECS[WORKLOAD]["client"], "image": image, **more}}


def _loaded(image: str) -> dict[str, Any]:
    """BenchmarkSQL from an image that is allowed, with that one for its load."""
    tpcc = {"warehouses": 1, "benchmarksql": {"loadImage": image}}
    minutes = {"concurrency": [1], "warmup": "0s", "duration": "1m"}
    return {"sysbench": None, "tpcc": tpcc, "load": minutes, **_client()}


def _jar(host: str) -> dict[str, Any]:
    url = {"url": f"https://{host}/driver.jar", "sha256": "0" * 64}
    return {"driver": {"jar": {**url, "class": "x.D", "urlTemplate": "jdbc:x://{host}"}}}


def _class(name: str) -> dict[str, Any]:
    return {"atRest": {"method": "volume", "volume": {"storageClassName": name}}}


IMAGES = {
    IMAGE: True,
    f"registry.example.com:5000/db/mariadb@{DIGEST}": True,
    f"registry.example.com:5000/db/mariadb:10.11@{DIGEST}": True,
    "registry.example.com:5000/db": True,
    "docker.io/encbench/sysbench": True,
    "registry.example.com:5000/db.evil/mariadb:10.11": False,
    "registry.example.com:5000/dbx:10.11": False,
    "registry.example.com:5000.evil.com/db/mariadb": False,
    "registry-example.com:5000/db/mariadb": False,
    "docker.io/encbench/sysbench/../../evil": False,
    "evil.com/registry.example.com:5000/db/mariadb": False,
}
REFUSED: dict[tuple[Kind, str], dict[str, Any]] = {
    (INSTANCE_TEMPLATE, "image"): {"image": "mariadb:10.11"},
    (INSTANCE_TEMPLATE, "placement.nodeSelector"): _placed(nodeSelector={"disk": "slow"}),
    (INSTANCE_TEMPLATE, "placement.tolerations"): _placed(tolerations=[{"operator": "Exists"}]),
    (INSTANCE_TEMPLATE, "storage.className"): {
        **{"image": IMAGE, "storage": {"size": "1Gi", "className": "slow"}}
    },
    (ENCRYPTION_MODE, "atRest.volume.storageClassName"): _class("plain"),
    (ENCRYPTION_MODE, "driver.jar.url"): _jar("jars.example.com"),
    (WORKLOAD, "client.image"): _client(image="evil.example.com/sysbench"),
    (WORKLOAD, "client.placement.nodeSelector"): _client(
        placement={"nodeSelector": {"role": "master"}}
    ),
    (WORKLOAD, "client.placement.tolerations"): _client(
        placement={"tolerations": [{"operator": "Exists"}]}
    ),
    (WORKLOAD, "tpcc.benchmarksql.loadImage"): _loaded("evil.example.com/tpcc"),
}
"""Each field that the lists are about, but `external.host`, with a spec that they refuse for it."""
CASES: list[Case] = [
    *((kind, spec, False) for (kind, _), spec in REFUSED.items()),
    *((INSTANCE_TEMPLATE, {"image": image}, good) for image, good in IMAGES.items()),
    (WORKLOAD, _client(), True),
    (WORKLOAD, _loaded(IMAGE), True),
    (INSTANCE_TEMPLATE, _placed(nodeSelector={"disk": "fast"}), True),
    (INSTANCE_TEMPLATE, _placed(nodeSelector={"topology.kubernetes.io/zone": "b"}), True),
    (INSTANCE_TEMPLATE, _placed(nodeSelector={"disk": "fast", "role": "master"}), False),
    (INSTANCE_TEMPLATE, _placed(tolerations=[{"key": "benchmarks", "operator": "Exists"}]), True),
    (INSTANCE_TEMPLATE, _placed(tolerations=[{"key": "benchmarks", "value": "x"}]), True),
    (INSTANCE_TEMPLATE, _placed(tolerations=[{"key": "dedicated", "value": "team-a"}]), True),
    (INSTANCE_TEMPLATE, _placed(tolerations=[{"key": "dedicated", "value": "team-b"}]), False),
    (INSTANCE_TEMPLATE, _placed(tolerations=[{"key": "dedicated", "operator": "Exists"}]), False),
    (INSTANCE_TEMPLATE, {"image": IMAGE, "storage": {"size": "1Gi", "className": "fast"}}, True),
    (ENCRYPTION_MODE, _class("luks"), True),
    (ENCRYPTION_MODE, _jar("a.jars.example.com"), True),
    (ENCRYPTION_MODE, _jar("A.Jars.Example.com"), True),
    (ENCRYPTION_MODE, _jar("jar_host"), True),
    (ENCRYPTION_MODE, _jar("[2001:DB8::5]:8443"), True),
    (ENCRYPTION_MODE, _jar("[2001:db8::50]"), False),
    (ENCRYPTION_MODE, _jar("ajars.example.com"), False),
    (ENCRYPTION_MODE, _jar("a.jars.example.com.evil.com"), False),
]


def external(host: str) -> dict[str, Any]:
    """The whole spec of a template for a database at that host."""
    login = {"credentialsSecretRef": {"name": "login"}}
    external = {"host": host, "database": "d", **login}
    return {"engine": "mysql", "version": "8.0", "external": external}


HOSTS = {
    "db.example.com": True,
    "DB.example.com": True,
    "evil.com": False,
    "x.db.example.com": False,
}
"""Hosts of external databases, and whether the lists allow them."""
