"""What the simulated campaigns name: instances, modes, workloads, Secrets and StorageClasses."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

Body = dict[str, Any]
Specs = Mapping[str, Body]

SPACE = "bench"
USE = "encbench.io/use"
"""The label without which newer revisions read no Secret; older ones ignore it."""
LOGIN = {"username": "bench", "password": "pa,ss #1"}
PEM = """\
-----BEGIN CERTIFICATE-----
MIIBKzCB0qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCXVzZXJzIG93
bjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
dXNlcnMgb3duMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBw+ErpASj+l0jZi
LGwwsAsvJUY7xFcotWI4gwfemKjwzIUhw7/EMu/qNbDTamhgmym6rM3G8etZXMKG
+0e5kqMTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB/1NOI
m7SsICzI+YAlPYIhBOAISgyfIOqYavBIegS1lAIhAJ4KbzlDTaxV9qOhS9Xf8wP3
fLHzpCCMM9LwThPo93kK
-----END CERTIFICATE-----
"""
"""A CA's certificate, valid until 2120; its key was never kept."""


def ours(kind: str, name: str, spec: Body) -> Body:
    return kubernetes_object("encbench.io/v1alpha1", kind, name, spec=spec)


def kubernetes_object(version: str, kind: str, name: str, **fields: Any) -> Body:
    meta = {"name": name, "namespace": SPACE}
    return {"apiVersion": version, "kind": kind, "metadata": meta, **fields}


def secret(name: str, use: str, **entries: str) -> Body:
    data = {entry: b64encode(text.encode()).decode() for entry, text in entries.items()}
    made = kubernetes_object("v1", "Secret", name, data=data)
    made["metadata"]["labels"] = {USE: use}
    return made


# -- instances

SMALL: Body = {"resources": {"cpu": "1", "memory": "640Mi"}, "storage": {"size": "2Gi"}}
FULL: Body = {
    "image": "registry.example.com/team/server:1",
    "imagePullPolicy": "Always",
    "imagePullSecrets": ["pull"],
    "resources": {"cpu": "2500m", "memory": "3Gi"},
    "storage": {"size": "20Gi", "className": "fast", "iops": 6000},
    "placement": {
        "nodeSelector": {"disk": "nvme"},
        "tolerations": [{"key": "bench", "operator": "Exists", "effect": "NoSchedule"}],
    },
}
ENGINES: Specs = {
    "mariadb": {"version": "10.11", "settings": {"innodb_buffer_pool_size": "128M"}},
    "mysql": {"version": "8.4", "settings": {"innodb_buffer_pool_size": "128M"}},
    "percona": {"version": "8.0", "settings": {"innodb_buffer_pool_size": "128M"}},
    "postgresql": {"version": "16", "settings": {"shared_buffers": "128MB"}},
}
"""Engine → version, and a setting of the user's."""


def instance(engine: str, **fields: Any) -> Body:
    version = ENGINES[engine]["version"]
    return {"engine": engine, "version": version, **SMALL, **fields}


def external(engine: str, **fields: Any) -> Body:
    place = {"host": "rds.example.com", "database": "benchmark"}
    whole = {**place, "credentialsSecretRef": {"name": "rds"}, **fields}
    return {"engine": engine, "version": ENGINES[engine]["version"], "external": whole}


# -- modes

ENGINE: Body = {"method": "engine"}
TDE: Body = {"atRest": ENGINE}
TLS: Body = {"inTransit": {}}


def tde(**fields: Any) -> Body:
    return {"atRest": {**ENGINE, **fields}}


def volume(**fields: Any) -> Body:
    return {"atRest": {"method": "volume", "volume": fields}}


def columns(**fields: Any) -> Body:
    return {"columns": {"method": "confidential", **fields}}


OF_ALL: Specs = {
    "plain": {},
    "tls": TLS,
    "tls-chacha": {"inTransit": {"cipherSuite": "TLS_CHACHA20_POLY1305_SHA256"}},
    "tls12": {"inTransit": {"version": "TLSv1.2"}},
    "tls12-256": {"inTransit": {"version": "TLSv1.2", "cipherSuite": "TLS_AES_256_GCM_SHA384"}},
    "class": volume(storageClassName="encrypted"),
    "class-on-trust": volume(storageClassName="encrypted", onTrust=True),
    "class-and-tls": {**volume(storageClassName="encrypted"), **TLS},
    "gocryptfs": volume(gocryptfs={}),
    "gocryptfs-full": volume(
        gocryptfs={"cipher": "XChaCha20-Poly1305", "resources": {"cpu": "2", "memory": "300Mi"}}
    ),
    "gocryptfs-none": volume(gocryptfs={"cipher": "none"}),
    "gocryptfs-and-tls": {**volume(gocryptfs={}), **TLS},
}
OF_TDE: Specs = {
    "tde": TDE,
    "tde-of-tables": tde(scope=["tables"]),
    "tde-of-logs-and-tls": {**tde(scope=["redo", "binlog"]), **TLS},
}
OF_COLUMNS: Specs = {
    "hop": columns(ratio=0),
    "columns": columns(ratio=100),
    "columns-sm4": columns(ratio=50, algorithm="SM4_128_GCM"),
    "columns-lax": columns(ratio=20, strict=False, resources={"cpu": "2", "memory": "128Mi"}),
    "columns-listed": columns(list=["sbtest.pad", "sbtest1.k"], mekSecretRef={"name": "mek"}),
    "columns-and-tde": {**columns(ratio=100), **TDE},
    "columns-and-volume": {**columns(ratio=100), **volume(gocryptfs={})},
}
OF_ONE: Mapping[str, Specs] = {
    "mariadb": {
        **OF_COLUMNS,
        "tde": TDE,
        "tde-and-tls": {**TDE, **TLS},
        "tde-cbc": tde(algorithm="AES_CBC"),
        "tde-own-key": tde(keySecretRef={"name": "tde"}),
    },
    "mysql": {**OF_TDE, **OF_COLUMNS},
    "percona": {**OF_TDE, **OF_COLUMNS, "tde-of-temporary": tde(scope=["temporary"])},
    "postgresql": {},
}
"""Engine → modes beside those that every engine has."""

CLASS: Body = kubernetes_object(
    "storage.k8s.io/v1",
    "StorageClass",
    "encrypted",
    provisioner="csi.example.com",
    parameters={"encrypted": "true"},
)
KEYS = (
    secret("mek", "key", mek="00112233445566778899aabbccddeeff"),
    secret("tde", "key", keyfile="1;" + "ab" * 32),
)
SCRIPT = (
    'sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}, depth = {"", 3}}\n'
    "function prepare() end\nfunction event() end\n"
)
SCRIPTS: Body = kubernetes_object("v1", "ConfigMap", "scripts", data={"mine.lua": SCRIPT})

# -- workloads

LOAD: Body = {"concurrency": [2], "warmup": "2s", "duration": "6s"}
CLIENT: Body = {
    "image": "registry.example.com/client:1",
    "resources": {"cpu": "500m", "memory": "256Mi"},
}
OLTP: Body = {
    "sysbench": {"script": "oltp_read_write", "tables": 2, "tableSize": 1000},
    "load": LOAD,
    "client": CLIENT,
}
SEVERAL: Body = {
    "sysbench": {
        "script": "oltp_point_select",
        "tables": 4,
        "tableSize": 500,
        "options": {"range-size": "50", "rand-type": "uniform"},
    },
    "load": {**LOAD, "concurrency": [7], "rate": 600},
    "client": {
        **CLIENT,
        "imagePullPolicy": "Never",
        "imagePullSecrets": ["pull"],
        "replicas": 3,
        "placement": {"nodeSelector": {"role": "client"}},
    },
    "maxErrorRate": 0.2,
}
OWN_SCRIPT: Body = {
    "sysbench": {
        "scriptConfigMapRef": {"name": "scripts", "key": "mine.lua"},
        "options": {"depth": "5"},
    },
    "load": {**LOAD, "warmup": "0s"},
    "client": CLIENT,
}
TPCC: Body = {"tpcc": {"warehouses": 2}, "load": LOAD, "client": CLIENT}
TPCC_FULL: Body = {
    "tpcc": {
        "warehouses": 3,
        "mix": {"newOrder": 40, "payment": 40, "orderStatus": 10, "delivery": 5, "stockLevel": 5},
        "terminalWarehouseFixed": False,
        "limitTxnsPerMin": 60000,
        "loadWorkers": 3,
        "urlParameters": {"connectTimeout": "5000"},
    },
    "load": {**LOAD, "concurrency": [9]},
    "client": {**CLIENT, "replicas": 2},
}
MINUTES: Body = {"concurrency": [4], "warmup": "0s", "duration": "1m"}
BENCHMARKSQL: Specs = {
    "benchmarksql5": {
        "tpcc": {"warehouses": 2, "benchmarksql": {}},
        "load": MINUTES,
        "client": {**CLIENT, "replicas": 2},
    },
    "benchmarksql6": {
        "tpcc": {
            "warehouses": 2,
            "dialect": 6,
            "benchmarksql": {"home": "/opt/bmsql"},
            "options": {"keyingTimeMultiplier": "0.1"},
        },
        "load": MINUTES,
        "client": CLIENT,
    },
}
JAR: Body = {"class": "com.example.Driver", "urlTemplate": "jdbc:x://{host}:{port}/{database}"}
WITH_KEY: Body = {**JAR, "urlTemplate": "jdbc:x://{host}:{port}/?MEK={mek}&FILE={mekFile}"}
ENCRYPTING: Body = {"driver": {"encrypting": {}}}
DRIVERS: Specs = {
    "plain": {},
    "tls": TLS,
    "hop": columns(ratio=0),
    "driver": {**columns(ratio=0), **ENCRYPTING},
    "columns20": {**columns(ratio=20), **ENCRYPTING},
    "columns100-sm4": {**columns(ratio=100, algorithm="SM4_128_GCM"), **ENCRYPTING},
    "columns-listed": {**columns(list=["bmsql_item.i_price"]), **ENCRYPTING},
    "columns-and-tde": {**columns(ratio=100), **ENCRYPTING, **TDE},
    "jar-of-url": {
        "driver": {"jar": {**JAR, "url": "https://example.com/d.jar", "sha256": "ab" * 32}}
    },
    "jar-of-claim": {
        "driver": {
            "jar": {
                **WITH_KEY,
                "claimName": "drivers",
                "path": "a/d.jar",
                "keySecretRef": {"name": "mek"},
            }
        }
    },
    "columns-and-jar": {
        **columns(ratio=50),
        "driver": {"jar": {**WITH_KEY, "claimName": "drivers", "path": "a/d.jar"}},
    },
}
CLAIM: Body = kubernetes_object("v1", "PersistentVolumeClaim", "drivers", spec={})
CLAIM["metadata"]["labels"] = {USE: "driver"}
WRITES: Body = {**OLTP, "sysbench": {"script": "oltp_write_only", "tables": 2, "tableSize": 1000}}


def plain_and(modes: Specs, *names: str) -> Specs:
    return {name: modes[name] for name in ("plain", *names)}
