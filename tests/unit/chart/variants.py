"""Ways to install the chart that the tests go through."""

from typing import Any

EXTERNAL: dict[str, Any] = {
    "minio": {"enabled": False},
    "objectStore": {
        "external": {
            "endpoint": "https://s3.example.com",
            "bucket": "results",
            "region": "eu-central-1",
            "existingSecret": "s3-keys",
            "readerSecret": "s3-reader",
            "caConfigMap": "s3-ca",
            "clientEndpoint": "https://s3.outside.example.com",
        }
    },
    "prometheus": {
        "enabled": False,
        "external": {"url": "https://prometheus.example.com", "caConfigMap": "prometheus-ca"},
    },
    "nodeExporter": {"enabled": False},
}

APART: dict[str, Any] = {
    "watchReleaseNamespace": False,
    "watchNamespaces": ["team-a"],
    "admissionPolicies": {"enabled": False},
}

EVERYTHING: dict[str, Any] = {
    "watchNamespaces": ["team-a"],
    "metrics": {
        "serviceMonitor": {"enabled": True, "labels": {"release": "kps"}, "interval": "15s"},
        "podMonitor": {"enabled": True, "labels": {"release": "kps"}},
        "rules": {"enabled": True, "labels": {"release": "kps"}},
        "dashboard": {"enabled": True, "annotations": {"grafana_folder": "Databases"}},
    },
}
"""All that `metrics` adds."""

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "external": EXTERNAL,
    "apart": APART,
    "everything": EVERYTHING,
    "volumes": {"privilegedVolumes": {"enabled": True}},
    "namespaces": {
        "watchNamespaces": ["team-a", "team-b"],
        "leaseNamespace": "measuring",
        "imagePullSecrets": ["registry"],
        "prometheus": {"persistence": {"enabled": True, "storageClass": "fast"}},
        "minio": {
            "existingSecret": "root-keys",
            "users": {
                "operator": {"existingSecret": "operator-keys"},
                "analyst": {"existingSecret": "analyst-keys"},
            },
            "persistence": {"storageClass": "fast"},
        },
        "operator": {
            "nodeSelector": {"role": "infra"},
            "tolerations": [{"key": "infra", "operator": "Exists"}],
        },
    },
}
