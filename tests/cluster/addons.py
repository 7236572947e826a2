"""What runs in the cluster before anyone uses it: DNS and the default StorageClass.

Both ask for little CPU, because benchmark pods need the rest of the node. They run on the first
node, so that the loss of any other takes nothing from the cluster but that node.
"""

import json
from typing import Any, Final

from . import network, policies
from .api import Manifest
from .layout import Layout
from .nodes import FIRST
from .versions import image

_STORAGE: Final = "local-path-storage"
DEPLOYMENTS: Final = (("kube-system", "coredns"), (_STORAGE, "local-path-provisioner"))

_DNS_PORT: Final = 1053
_COREFILE: Final = f""".:{_DNS_PORT} {{
    errors
    health
    ready
    kubernetes {network.DNS_DOMAIN} in-addr.arpa ip6.arpa {{
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 5
    }}
    prometheus :9153
    cache 5
    reload
    loadbalance
}}
"""
_RESTRICTED: Final = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
_FOLLOW: Final = ["get", "list", "watch"]
_CHANGE: Final = [*_FOLLOW, "create", "patch", "update", "delete"]


def manifests(layout: Layout, *, judged: bool = False) -> list[Manifest]:
    """Every object, in the order in which they are applied; with the rights of who judges."""
    return [*(_judges() if judged else ()), *_dns(), *_storage(layout)]


def _judges() -> list[Manifest]:
    """Pods, namespaces and NetworkPolicies are all that :mod:`.policies` reads."""
    api = "rbac.authorization.k8s.io"
    name = f"cluster:{policies.NAME}"  # of the cluster, which stays when the chart goes
    return [
        _cluster_role(
            name,
            _rule("", ["namespaces", "pods"], _FOLLOW),
            _rule("networking.k8s.io", ["networkpolicies"], _FOLLOW),
        ),
        {
            **_object(f"{api}/v1", "ClusterRoleBinding", name),
            "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": api, "kind": "User", "name": policies.NAME}],
        },
    ]


def _dns() -> list[Manifest]:
    labels = {"k8s-app": "kube-dns"}
    where = {"namespace": "kube-system"}
    container = {
        "name": "coredns",
        "image": image("coredns"),
        "imagePullPolicy": "IfNotPresent",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": _resources("170Mi"),
        "securityContext": {**_RESTRICTED, "runAsNonRoot": True},
        "ports": [
            {"name": "dns", "containerPort": _DNS_PORT, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": _DNS_PORT, "protocol": "TCP"},
            {"name": "metrics", "containerPort": 9153, "protocol": "TCP"},
        ],
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8080}, "failureThreshold": 5},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": True}],
    }
    pod = {
        "serviceAccountName": "coredns",
        "priorityClassName": "system-cluster-critical",
        "dnsPolicy": "Default",
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": "coredns"}}],
    }
    ports = [
        {"name": "dns", "port": 53, "targetPort": "dns", "protocol": "UDP"},
        {"name": "dns-tcp", "port": 53, "targetPort": "dns-tcp", "protocol": "TCP"},
        {"name": "metrics", "port": 9153, "targetPort": "metrics", "protocol": "TCP"},
    ]
    return [
        _object("v1", "ServiceAccount", "coredns", **where),
        _cluster_role(
            "system:coredns",
            _rule("", ["endpoints", "services", "pods", "namespaces"], _FOLLOW),
            _rule("discovery.k8s.io", ["endpointslices"], _FOLLOW),
        ),
        _binding("ClusterRole", "system:coredns", "coredns", "kube-system"),
        {**_object("v1", "ConfigMap", "coredns", **where), "data": {"Corefile": _COREFILE}},
        _deployment("coredns", labels, pod, **where),
        {
            **_object("v1", "Service", "kube-dns", **where, labels=labels),
            "spec": {"clusterIP": network.DNS_ADDRESS, "selector": labels, "ports": ports},
        },
    ]


def _storage(layout: Layout) -> list[Manifest]:
    name = "local-path-provisioner"
    where = {"namespace": _STORAGE}
    container = {
        "name": name,
        "image": image(name),
        "imagePullPolicy": "IfNotPresent",
        "args": ["start", "--config", "/etc/config/config.json", "--service-account-name", name],
        "resources": _resources("128Mi"),
        "securityContext": _RESTRICTED,
        "env": [
            {"name": "POD_NAMESPACE", "value": _STORAGE},
            {"name": "CONFIG_MOUNT_PATH", "value": "/etc/config/"},
        ],
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config", "readOnly": True}],
    }
    pod = {
        "serviceAccountName": name,
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": "local-path-config"}}],
    }
    return [
        _object("v1", "Namespace", _STORAGE),
        _object("v1", "ServiceAccount", name, **where),
        {
            **_object("rbac.authorization.k8s.io/v1", "Role", name, **where),
            "rules": [_rule("", ["pods"], _CHANGE)],
        },
        _cluster_role(
            name,
            _rule(
                "", ["nodes", "persistentvolumeclaims", "configmaps", "pods", "pods/log"], _FOLLOW
            ),
            _rule("", ["persistentvolumes"], _CHANGE),
            _rule("", ["events"], ["create", "patch"]),
            _rule("storage.k8s.io", ["storageclasses"], _FOLLOW),
        ),
        _binding("Role", name, name, _STORAGE),
        _binding("ClusterRole", name, name, _STORAGE),
        {
            **_object("v1", "ConfigMap", "local-path-config", **where),
            "data": _provisioner_config(layout),
        },
        _deployment(name, {"app": name}, pod, **where),
        {
            **_object(
                "storage.k8s.io/v1",
                "StorageClass",
                "local-path",
                annotations={"storageclass.kubernetes.io/is-default-class": "true"},
            ),
            "provisioner": "rancher.io/local-path",
            "volumeBindingMode": "WaitForFirstConsumer",
            "reclaimPolicy": "Delete",
        },
    ]


def _provisioner_config(layout: Layout) -> dict[str, str]:
    """Where volumes lie, and the helper pod that makes and removes their directories."""
    helper = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "helper-pod"},
        "spec": {
            "priorityClassName": "system-node-critical",
            "containers": [
                {
                    "name": "helper-pod",
                    "image": image("local-path-provisioner"),
                    "imagePullPolicy": "IfNotPresent",
                }
            ],
        },
    }
    paths = {"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": [str(layout.volumes)]}
    return {
        "config.json": json.dumps({"nodePathMap": [paths]}),
        "setup": '#!/bin/sh\nset -eu\nmkdir -m 0777 -p "$VOL_DIR"\n',
        "teardown": '#!/bin/sh\nset -eu\nrm -rf "$VOL_DIR"\n',
        "helperPod.yaml": json.dumps(helper),
    }


def _object(version: str, kind: str, name: str, **metadata: Any) -> Manifest:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}}


def _deployment(name: str, labels: dict[str, str], pod: Manifest, namespace: str) -> Manifest:
    return {
        **_object("apps/v1", "Deployment", name, namespace=namespace, labels=labels),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {**pod, "nodeSelector": {"kubernetes.io/hostname": FIRST.name}},
            },
        },
    }


def _cluster_role(name: str, *rules: Manifest) -> Manifest:
    return {**_object("rbac.authorization.k8s.io/v1", "ClusterRole", name), "rules": list(rules)}


def _rule(group: str, resources: list[str], verbs: list[str]) -> Manifest:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _binding(kind: str, role: str, account: str, namespace: str) -> Manifest:
    """Bind a role to a service account; a cluster role for the whole cluster."""
    scope = {"namespace": namespace} if kind == "Role" else {}
    return {
        **_object("rbac.authorization.k8s.io/v1", f"{kind}Binding", role, **scope),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def _resources(memory: str) -> Manifest:
    return {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": memory}}
