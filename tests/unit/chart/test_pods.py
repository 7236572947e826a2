"""The usual settings of pods: each reaches its component's pods, and no setting of ours is lost."""

from typing import Any

import pytest
import yaml

from encbench.kube.pods import OUT_OF_MESHES, UNDISTURBED
from tests.support.chart import CHART, Manifest, Rendered, render

SPREAD = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]
AFFINITY: dict[str, Any] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
COMPONENTS = {
    "operator": ("Deployment", "operator"),
    "minio": ("StatefulSet", "minio"),
    "prometheus": ("Deployment", "prometheus"),
    "nodeExporter": ("DaemonSet", "node-exporter"),
}


def settings(component: str) -> dict[str, Any]:
    return {
        "affinity": AFFINITY,
        "topologySpreadConstraints": SPREAD,
        "priorityClassName": f"{component.lower()}-priority",
        "podAnnotations": {"sidecar.istio.io/inject": "false"},
        "podLabels": {"team": component, "app.kubernetes.io/component": "theirs"},
        "extraEnv": [{"name": "HTTPS_PROXY", "value": f"http://{component}:3128"}],
        # OpenShift chooses these.
        "podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None},
        "securityContext": {"seLinuxOptions": {"level": "s0"}},
        "resources": {"requests": {"cpu": "77m"}, "limits": {"memory": "777Mi"}},
    }


HOOKS = {"requests": {"cpu": "33m", "memory": "333Mi"}, "limits": {"cpu": "3", "memory": "3Gi"}}


@pytest.fixture(scope="module")
def custom() -> Rendered:
    values = {component: settings(component) for component in COMPONENTS}
    values["operator"]["hooks"] = {"resources": HOOKS}
    return render(values)


def template(rendered: Rendered, value: str) -> Manifest:
    found: Manifest = rendered.one(*COMPONENTS[value])["spec"]["template"]
    return found


@pytest.mark.parametrize("component", COMPONENTS)
def test_what_is_set_for_a_component_is_in_its_pods(custom: Rendered, component: str) -> None:
    pod, wanted = template(custom, component), settings(component)
    spec, meta = pod["spec"], pod["metadata"]
    for field in ("topologySpreadConstraints", "priorityClassName"):
        assert spec[field] == wanted[field]
    assert AFFINITY["nodeAffinity"].items() <= spec["affinity"]["nodeAffinity"].items()
    assert wanted["podAnnotations"].items() <= meta["annotations"].items()
    assert meta["labels"]["team"] == component
    assert meta["labels"]["app.kubernetes.io/component"] == COMPONENTS[component][1]
    assert wanted["extraEnv"][0] in spec["containers"][0]["env"]
    for kind, amounts in wanted["resources"].items():
        assert amounts.items() <= spec["containers"][0]["resources"][kind].items()
    for container in spec["containers"]:
        assert container["securityContext"]["seLinuxOptions"] == {"level": "s0"}
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not {"runAsUser", "runAsGroup", "fsGroup"} & spec["securityContext"].keys()
    assert spec["securityContext"]["runAsNonRoot"] is True


def test_on_openshift_no_pod_of_the_chart_names_a_user() -> None:
    values = yaml.safe_load((CHART / "openshift.yaml").read_text(encoding="utf-8"))
    pods = dict(render(values).pods())
    assert len(pods) >= 6
    for name, spec in pods.items():
        contexts = [spec["securityContext"], *(c["securityContext"] for c in spec["containers"])]
        for context in contexts:
            assert not {"runAsUser", "runAsGroup", "fsGroup"} & context.keys(), name
        assert spec["securityContext"]["runAsNonRoot"] is True


def test_hooks_are_as_the_operators_pod(custom: Rendered) -> None:
    own = template(custom, "operator")
    for component in ("check", "let-go"):
        pod = custom.one("Pod", component)
        (container,), (theirs,) = pod["spec"]["containers"], own["spec"]["containers"]
        assert container["env"] == [one for one in theirs["env"] if one["name"] != "POD_NAME"]
        assert container["securityContext"] == theirs["securityContext"]
        assert container["resources"] == HOOKS
        for field in ("affinity", "priorityClassName", "securityContext"):
            assert pod["spec"][field] == own["spec"][field]
        assert own["metadata"]["annotations"].items() <= pod["metadata"]["annotations"].items()
        assert pod["metadata"]["labels"]["team"] == "operator"


@pytest.mark.parametrize("name", ["MINIO_BROWSER", "MINIO_SCANNER_SPEED", "HOME"])
def test_a_variable_of_the_charts_is_replaced_and_not_repeated(name: str) -> None:
    """Server-side apply refuses a list with two entries of one name."""
    own = {"name": name, "value": "theirs"}
    rendered = render({"minio": {"extraEnv": [own]}})
    env = template(rendered, "minio")["spec"]["containers"][0]["env"]
    names = [one["name"] for one in env]
    assert len(names) == len({*names})
    assert own in env
    assert {"MINIO_ROOT_USER_FILE", "MINIO_ROOT_PASSWORD_FILE", "MINIO_UPDATE"} < {*names}


@pytest.mark.parametrize("component", ["check", "let-go"])
def test_no_proxy_of_a_mesh_keeps_a_hook_from_ending(default: Rendered, component: str) -> None:
    """Helm waits for it: a test would time out, and a release could not be removed."""
    meta = default.one("Pod", component)["metadata"]
    for ours, label in ((meta["labels"], OUT_OF_MESHES), (meta["annotations"], UNDISTURBED)):
        off = {name: value for name, value in label.items() if name.endswith("/inject")}
        assert off
        assert off.items() <= ours.items()
    asked = {"podLabels": {"sidecar.istio.io/inject": "true"}}
    asked["podAnnotations"] = {"linkerd.io/inject": "enabled"}
    meta = render({"operator": asked}).one("Pod", component)["metadata"]
    assert meta["labels"]["sidecar.istio.io/inject"] == "true"
    assert meta["annotations"]["linkerd.io/inject"] == "enabled"
    assert "helm.sh/hook" in meta["annotations"]


def test_what_is_not_set_is_left_out(any_variant: Rendered) -> None:
    for name, spec in any_variant.pods():
        kept = {"affinity"} if name.endswith("-node-exporter") else {*()}
        rest = {"affinity", "topologySpreadConstraints", "priorityClassName"} - kept
        assert not rest & set(spec), name


def test_no_node_exporter_waits_for_a_node_that_runs_no_daemonsets(default: Rendered) -> None:
    """It tolerates the taints of virtual nodes too, and a pending pod is in Helm's way."""
    affinity = template(default, "nodeExporter")["spec"]["affinity"]["nodeAffinity"]
    # Nodes have to match all expressions of any one term.
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {
        "matchExpressions": [
            {"key": key, "operator": "NotIn", "values": [value]}
            for key, value in (
                ("eks.amazonaws.com/compute-type", "fargate"),
                ("type", "virtual-kubelet"),
            )
        ]
    }
    rendered = render({"nodeExporter": {"affinity": None}})
    assert "affinity" not in template(rendered, "nodeExporter")["spec"]


def test_service_accounts_may_have_an_identity_elsewhere() -> None:
    role = {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x"}
    account = {"serviceAccount": {"annotations": role}}
    rendered = render({"operator": account, "prometheus": account})
    for component in ("operator", "prometheus"):
        found = rendered.one("ServiceAccount", component)
        assert found["metadata"]["annotations"] == role


def test_every_object_has_the_recommended_labels(any_variant: Rendered) -> None:
    usual = ("name", "instance", "version", "component", "part-of", "managed-by")
    for body in any_variant.manifests:
        if body["kind"] != "CustomResourceDefinition":
            missing = {f"app.kubernetes.io/{one}" for one in usual} - body["metadata"][
                "labels"
            ].keys()
            assert not missing, (body["kind"], body["metadata"]["name"])


def test_every_component_has_the_same_settings() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    usual = settings("operator").keys() | {"nodeSelector", "tolerations"}
    for component in COMPONENTS:
        assert usual <= values[component].keys(), component


@pytest.mark.parametrize(
    ("retention", "gibibytes"),
    [("1GB", 2), ("5GB", 10), ("1TB", 2048), ("300MB", 2), ("1024KB", 2), ("9B", 2)],
)
def test_the_kubelet_evicts_no_prometheus_that_keeps_to_its_limit(
    retention: str, gibibytes: int
) -> None:
    body = render({"prometheus": {"retentionSize": retention}}).one("Deployment", "prometheus")
    (data,) = [
        volume for volume in body["spec"]["template"]["spec"]["volumes"] if volume["name"] == "data"
    ]
    assert int(data["emptyDir"]["sizeLimit"]) == gibibytes << 30
