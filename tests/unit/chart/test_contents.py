"""What the chart installs, with its switches one way and the other."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from encbench import __version__
from encbench.__main__ import installation
from encbench.admission.images import SERVERS, TOOLS
from encbench.cli.installation import OPERATOR, READER
from encbench.kube.labels import MANAGED_BY, MANAGER
from encbench.options import arguments
from encbench.sidecars.storeusers.__main__ import arguments as storeusers
from tests.release.__main__ import tag
from tests.support.chart import CHART, NAMESPACE, Refused, Rendered, lint, render
from tests.support.choices import ALLOWED
from tests.unit.chart.contents import operator_arguments, prometheus_config
from tests.unit.chart.variants import EXTERNAL

KINDS = {
    "Campaign",
    "EncryptionMode",
    "InstanceTemplate",
    "OverheadReport",
    "Testbed",
    "Trial",
    "Workload",
}


def test_helm_finds_no_fault() -> None:
    lint()
    lint(EXTERNAL)


def test_no_two_objects_share_a_name(any_variant: Rendered) -> None:
    names = [
        (body["kind"], body["metadata"].get("namespace"), body["metadata"]["name"])
        for body in any_variant.manifests
    ]
    assert len(names) == len(set(names))


def test_every_selector_finds_its_pods(any_variant: Rendered) -> None:
    for body in any_variant.manifests:
        if "template" in body.get("spec", {}):
            wanted = body["spec"]["selector"]["matchLabels"].items()
            assert wanted <= body["spec"]["template"]["metadata"]["labels"].items()


def test_the_operator_understands_its_arguments(any_variant: Rendered) -> None:
    deployment = any_variant.one("Deployment", "operator")["spec"]
    (container,) = deployment["template"]["spec"]["containers"]
    assert arguments().parse_args(container["args"]).command == "run"
    assert deployment["strategy"] == {"type": "Recreate"}
    assert deployment["replicas"] == 1
    (check,) = any_variant.one("Pod", "check")["spec"]["containers"]
    assert arguments().parse_args(check["args"]).command == "check"
    farewell = any_variant.one("Pod", "let-go")
    (last,) = farewell["spec"]["containers"]
    assert arguments().parse_args(last["args"]).command == "let-go"
    run = arguments().parse_args(container["args"])
    assert run.release_namespace == NAMESPACE
    assert installation(run) == installation(arguments().parse_args(last["args"]))
    assert urlsplit(run.liveness).hostname is None, "the kubelet may ask by IPv6"
    assert farewell["metadata"]["annotations"]["helm.sh/hook"] == "pre-delete"
    assert "volumes" not in farewell["spec"], "a Secret that is gone does not hold it up"


def test_by_default_everything_is_bundled(default: Rendered) -> None:
    (container,) = default.one("Deployment", "operator")["spec"]["template"]["spec"]["containers"]
    args = arguments().parse_args(container["args"])
    assert args.namespace == [NAMESPACE]
    assert args.image == container["image"] == f"encbench/operator:{__version__}"
    assert args.s3_endpoint == f"http://bench-encbench-minio.{NAMESPACE}.svc:9000"
    assert args.prometheus_url == f"http://bench-encbench-prometheus.{NAMESPACE}.svc:9090"
    services = {body["metadata"]["name"] for body in default.all("Service")}
    bundled = {"bench-encbench-minio", "bench-encbench-prometheus"}
    assert services == {*bundled, "bench-encbench-operator-metrics"}


def test_images_are_those_that_we_build(default: Rendered) -> None:
    images = {container["image"] for _, container in default.containers()}
    built = ("prometheus", "node-exporter", "minio")
    of_others = {f"encbench/{name}:{tag(name, __version__)}" for name in built}
    assert images == {f"encbench/operator:{__version__}"} | of_others


def test_privileged_containers_are_asked_for(default: Rendered, volumes: Rendered) -> None:
    images = []
    for rendered in (default, volumes):
        pod = rendered.one("Deployment", "operator")["spec"]["template"]["spec"]
        args = arguments().parse_args(pod["containers"][0]["args"])
        images.append((args.volume_image, args.volume_image_pull_policy))
    ours = f"encbench/gocryptfs:{__version__}"
    assert images == [("", "IfNotPresent"), (ours, "IfNotPresent")]


def test_the_proxy_is_the_one_that_we_build(default: Rendered) -> None:
    pod = default.one("Deployment", "operator")["spec"]["template"]["spec"]
    args = arguments().parse_args(pod["containers"][0]["args"])
    ours = f"encbench/confidential-proxy:{__version__}"
    assert (args.proxy_image, args.proxy_image_pull_policy) == (ours, "IfNotPresent")


def test_the_turnstile_is_the_one_that_we_build(default: Rendered) -> None:
    pod = default.one("Deployment", "operator")["spec"]["template"]["spec"]
    args = arguments().parse_args(pod["containers"][0]["args"])
    ours = f"encbench/turnstile:{__version__}"
    assert (args.turnstile_image, args.turnstile_image_pull_policy) == (ours, "IfNotPresent")


def test_external_services_replace_the_bundled_ones(external: Rendered) -> None:
    assert not external.all("StatefulSet")
    assert not external.all("DaemonSet")
    assert [one["metadata"]["name"] for one in external.all("Service")] == [
        "bench-encbench-operator-metrics"
    ]
    assert not external.all("Secret")
    (deployment,) = external.all("Deployment")
    pod = deployment["spec"]["template"]["spec"]
    args = arguments().parse_args(pod["containers"][0]["args"])
    assert args.s3_endpoint == "https://s3.example.com"
    assert args.s3_external_endpoint == "https://s3.outside.example.com"
    assert (args.s3_bucket, args.s3_region) == ("results", "eu-central-1")
    assert args.prometheus_url == "https://prometheus.example.com"
    sources = {
        mount["mountPath"]: next(v for v in pod["volumes"] if v["name"] == mount["name"])
        for mount in pod["containers"][0]["volumeMounts"]
    }
    assert sources[str(args.s3_credentials_dir)]["secret"]["secretName"] == "s3-keys"
    assert sources[str(args.s3_ca_file.parent)]["configMap"]["name"] == "s3-ca"
    assert sources[str(args.prometheus_ca_file.parent)]["configMap"]["name"] == "prometheus-ca"


def test_more_namespaces(namespaces: Rendered) -> None:
    (container,) = namespaces.one("Deployment", "operator")["spec"]["template"]["spec"][
        "containers"
    ]
    everywhere = [NAMESPACE, "team-a", "team-b"]
    assert arguments().parse_args(container["args"]).namespace == everywhere
    jobs = {job["job_name"]: job for job in prometheus_config(namespaces)["scrape_configs"]}
    (discovery,) = jobs["encbench"]["kubernetes_sd_configs"]
    assert discovery["namespaces"] == {"names": everywhere}
    policies = namespaces.all("NetworkPolicy", "operator")
    assert {body["metadata"]["namespace"] for body in policies} == {*everywhere}


def secrets_of(pod: dict[str, Any], container: str) -> set[str]:
    """The Secrets that the container sees."""
    (own,) = [one for one in pod["containers"] if one["name"] == container]
    seen = {mount["name"] for mount in own["volumeMounts"]}
    volumes = [one for one in pod["volumes"] if one["name"] in seen]
    return {one["secret"]["secretName"] for one in volumes if "secret" in one}


def test_existing_credentials_are_used(namespaces: Rendered) -> None:
    assert not namespaces.all("Secret")
    pods = dict(namespaces.pods())
    every = {"root-keys", "operator-keys", "analyst-keys"}
    assert secrets_of(pods["bench-encbench-minio"], "users") == every


def test_roots_credentials_are_in_the_stores_pod_alone(
    default: Rendered, namespaces: Rendered
) -> None:
    for rendered, root, own, reader in (
        (
            default,
            "bench-encbench-minio",
            "bench-encbench-minio-operator",
            "bench-encbench-minio-analyst",
        ),
        (namespaces, "root-keys", "operator-keys", "analyst-keys"),
    ):
        pods = dict(rendered.pods())
        assert secrets_of(pods["bench-encbench-minio"], "minio") == {root}
        assert secrets_of(pods["bench-encbench-operator"], "operator") == {own}
        assert secrets_of(pods["bench-encbench-check"], "check") == {own}
        annotations = rendered.one("Deployment", "operator")["metadata"]["annotations"]
        assert annotations == {READER: reader}


def test_a_store_of_ones_own_may_have_a_reader_too(external: Rendered) -> None:
    annotations = external.one("Deployment", "operator")["metadata"]["annotations"]
    assert annotations == {READER: "s3-reader"}
    store = {**EXTERNAL["objectStore"]["external"], "readerSecret": ""}
    without = render({**EXTERNAL, "objectStore": {"external": store}})
    assert "annotations" not in without.one("Deployment", "operator")["metadata"]


def test_without_a_secret_the_role_of_the_account_is_used() -> None:
    store = {**EXTERNAL["objectStore"]["external"], "existingSecret": ""}
    role = {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/encbench"}
    account = {"operator": {"serviceAccount": {"annotations": role}}}
    rendered = render({**EXTERNAL, **account, "objectStore": {"external": store}})
    assert rendered.one("ServiceAccount", "operator")["metadata"]["annotations"] == role
    pods = dict(rendered.pods())
    for name in ("operator", "check"):
        pod = pods[f"bench-encbench-{name}"]
        assert arguments().parse_args(pod["containers"][0]["args"]).s3_credentials_dir is None
        assert not secrets_of(pod, name)


def test_the_container_that_makes_the_users_understands_its_arguments(default: Rendered) -> None:
    (container,) = [one for _, one in default.containers() if one["name"] == "users"]
    args = storeusers().parse_args(container["args"])
    assert args.bucket == "encbench"
    assert args.endpoint == "http://127.0.0.1:9000"
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {str(args.root), str(args.operator), str(args.analyst)} <= mounted
    assert str(args.made.parent) in mounted
    assert container["startupProbe"]["exec"]["command"] == ["test", "-e", str(args.made)]


def test_placement_and_pull_secrets_reach_the_pods(namespaces: Rendered) -> None:
    for name, spec in namespaces.pods():
        assert spec["imagePullSecrets"] == [{"name": "registry"}], name
        linux = {"kubernetes.io/os": "linux"}
        own = name.removeprefix("bench-encbench-") in ("operator", "check", "let-go")
        assert spec["nodeSelector"] == ({**linux, "role": "infra"} if own else linux), name
    operator = namespaces.one("Deployment", "operator")["spec"]["template"]["spec"]
    assert operator["tolerations"] == [{"key": "infra", "operator": "Exists"}]


def test_marks_of_measured_pods_reach_the_operator() -> None:
    marks = {"podLabels": {"cost-centre": "42"}, "podAnnotations": {"owner": 'a "b" = $(c)'}}
    pod = render({"measured": marks}).one("Deployment", "operator")["spec"]["template"]["spec"]
    # As the kubelet expands them.
    words = [word.replace("$$", "$") for word in pod["containers"][0]["args"]]
    assert "$$(c)" in " ".join(pod["containers"][0]["args"])
    args = arguments().parse_args(words)
    assert args.pod_label == [("cost-centre", "42")]
    assert args.pod_annotation == [("owner", 'a "b" = $(c)')]
    for name, wrong in (("encbench.io/scrape", "true"), ("cost-centre", 42)):
        with pytest.raises(Refused, match=name):
            render({"measured": {"podLabels": {name: wrong}}})


def test_the_priority_of_measured_pods_reaches_the_operator(default: Rendered) -> None:
    for rendered, name in (
        (default, ""),
        (render({"measured": {"priorityClassName": "measured"}}), "measured"),
    ):
        pod = rendered.one("Deployment", "operator")["spec"]["template"]["spec"]
        args = arguments().parse_args(pod["containers"][0]["args"])
        assert args.pod_priority_class == name
        assert "priorityClassName" not in pod, "it is not a measured one"


def test_the_administrators_lists_reach_the_operator(default: Rendered) -> None:
    for rendered, lists in (
        (default, {}),
        (render({"allowed": {**ALLOWED, "digestsOnly": True}}), ALLOWED),
    ):
        pod = rendered.one("Deployment", "operator")["spec"]["template"]["spec"]
        args = arguments().parse_args(pod["containers"][0]["args"])
        assert args.image_digests_only == bool(lists)
        said = {
            "images": args.allowed_image,
            "hosts": args.allowed_host,
            "nodeLabels": args.allowed_node_label,
            "taints": args.allowed_taint,
            "storageClasses": args.allowed_storage_class,
        }
        assert said == (lists or {key: [] for key in said})


@pytest.mark.parametrize("alias", ["encbench", "measuring-db"])
def test_it_may_be_a_part_of_another_chart(tmp_path: Path, alias: str) -> None:
    parent = tmp_path / "platform"
    shutil.copytree(CHART, parent / "charts" / "encbench")
    own = {"name": "encbench", "version": __version__, "repository": ""}
    needs = [{**own, "alias": alias, "condition": f"{alias}.enabled"}]
    about = {"apiVersion": "v2", "name": "platform", "version": "1.0.0", "dependencies": needs}
    (parent / "Chart.yaml").write_text(yaml.safe_dump(about), encoding="utf-8")
    (parent / "values.yaml").write_text(f"{alias}: {{enabled: false}}\n", encoding="utf-8")
    assert not render(chart=parent).manifests
    rendered = render({alias: {"enabled": True}}, parent)
    operator = rendered.one("Deployment", "operator")
    # By these the plugin finds it, whatever the alias is.
    assert OPERATOR.items() <= operator["metadata"]["labels"].items()
    assert {body["kind"] for body in rendered.manifests} > {"CustomResourceDefinition", "Role"}


def test_volumes(default: Rendered, namespaces: Rendered) -> None:
    assert not default.all("PersistentVolumeClaim")
    (claim,) = namespaces.all("PersistentVolumeClaim", "prometheus")
    assert claim["spec"]["storageClassName"] == "fast"
    for rendered, storage_class in ((default, None), (namespaces, "fast")):
        (template,) = rendered.one("StatefulSet", "minio")["spec"]["volumeClaimTemplates"]
        assert template["spec"].get("storageClassName") == storage_class


def test_crds_come_with_the_release_and_outlive_it(default: Rendered) -> None:
    crds = default.all("CustomResourceDefinition")
    assert {crd["spec"]["names"]["kind"] for crd in crds} == KINDS
    for crd in crds:
        assert crd["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_the_default_servers_and_tools_are_the_operators_own(default: Rendered) -> None:
    args = operator_arguments(default)
    assert dict(args.server_image) == SERVERS
    assert dict(args.tool_image) == TOOLS
    for tool, image in TOOLS.items():
        assert image == f"docker.io/encbench/{tool}:{tag(tool, __version__)}"


def test_one_registry_holds_all_images() -> None:
    registry = "registry.example.com:5000/mirror"
    images = {"sysbench": {"repository": "localhost/s", "tag": "1"}}
    rendered = render(
        {
            "global": {"imageRegistry": registry},
            "privilegedVolumes": {"enabled": True},
            "prometheus": {"image": {"repository": "quay.io/prometheus/prometheus"}},
            "servers": {"mysql": "mysql"},
            "tools": images,
        }
    )
    args = operator_arguments(rendered)
    found = {container["image"] for _, container in rendered.containers()}
    found |= {args.image, args.volume_image, args.proxy_image, args.turnstile_image}
    found |= {image for _, image in (*args.server_image, *args.tool_image)}
    assert not [image for image in found if not image.startswith(f"{registry}/")]
    assert dict(args.server_image)["mariadb"] == f"{registry}/library/mariadb"
    assert dict(args.server_image)["mysql"] == f"{registry}/mysql"
    assert dict(args.tool_image)["sysbench"] == f"{registry}/s:1"
    assert f"{registry}/prometheus/prometheus:{tag('prometheus', __version__)}" in found


def test_pull_secrets_reach_the_operators_pods_as_well() -> None:
    shared = [{"name": "company"}, "group"]  # Charts of one parent differ in what they want.
    values = {"global": {"imagePullSecrets": shared}, "imagePullSecrets": ["own", "company"]}
    rendered = render(values)
    for name, spec in rendered.pods():
        names = [one["name"] for one in spec["imagePullSecrets"]]
        assert names == ["company", "group", "own"], name
    assert operator_arguments(rendered).image_pull_secret == ["company", "group", "own"]


def test_a_digest_pins_the_image() -> None:
    digest = f"sha256:{'0' * 64}"
    pinned = render({"image": {"tag": digest}})
    images = {container["image"] for name, container in pinned.containers() if "operator" in name}
    assert images == {f"encbench/operator@{digest}"}


def test_prometheus_gives_series_the_labels_that_are_asked_for(default: Rendered) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(default)["scrape_configs"]}
    given = {
        name: {rule["target_label"] for rule in job["relabel_configs"] if "target_label" in rule}
        for name, job in jobs.items()
    }
    # The selectors are in encbench.reconcile.trial.series.
    assert {"namespace", "testbed", "trial", "pod", "node", "component", "arm"} <= given["encbench"]
    assert given["node-exporter"] == {"node", "instance"}


def test_prometheus_scrapes_pods_of_the_operator_only(default: Rendered) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(default)["scrape_configs"]}
    owned, *_ = jobs["encbench"]["relabel_configs"]
    assert owned["action"] == "keep"
    label = "__meta_kubernetes_pod_label_" + re.sub(r"\W", "_", MANAGED_BY)
    assert owned["source_labels"] == [label, "__meta_kubernetes_pod_controller_kind"]
    for kind, good in (("StatefulSet", True), ("Job", True), ("ReplicaSet", False), ("", False)):
        # Prometheus anchors the expression.
        assert (re.fullmatch(owned["regex"], f"{MANAGER};{kind}") is not None) == good
        assert re.fullmatch(owned["regex"], f"Helm;{kind}") is None


def test_prometheus_has_limits(default: Rendered) -> None:
    config = prometheus_config(default)
    for name in ("label_limit", "label_name_length_limit", "label_value_length_limit"):
        assert config["global"][name] > 0
    for job in config["scrape_configs"]:
        assert job["sample_limit"] > 0
        assert job["body_size_limit"] in ("64KB", "1MB", "10MB")
    limits = {job["job_name"]: job["sample_limit"] for job in config["scrape_configs"]}
    assert limits["encbench"] < 100, "a client's own image may answer in the recorder's place"
    pod = default.one("Deployment", "prometheus")["spec"]["template"]["spec"]
    given = {arg.partition("=")[0] for arg in pod["containers"][0]["args"]}
    assert given >= {
        "--storage.tsdb.retention.size",
        "--storage.tsdb.retention.time",
        "--query.max-samples",
        "--query.max-concurrency",
        "--query.timeout",
        "--web.max-connections",
    }


def test_prometheus_is_restarted_by_a_changed_configuration(
    default: Rendered, namespaces: Rendered
) -> None:
    marks = [
        rendered.one("Deployment", "prometheus")["spec"]["template"]["metadata"]["annotations"]
        for rendered in (default, namespaces)
    ]
    assert marks[0] != marks[1]


def test_a_version_of_the_chart_replaces_no_pod_but_those_of_its_own_programs(
    default: Rendered, tmp_path: Path
) -> None:
    copy = tmp_path / "encbench"
    shutil.copytree(CHART, copy)
    about = (copy / "Chart.yaml").read_text(encoding="utf-8")
    newer = about.replace(f"version: {__version__}", "version: 99.0.0")
    newer = newer.replace(f"appVersion: {__version__}", "appVersion: 98.0.0")
    (copy / "Chart.yaml").write_text(newer, encoding="utf-8")
    upgraded, same = render(chart=copy), []
    for kind in ("Deployment", "DaemonSet", "StatefulSet"):
        for old, new in zip(default.all(kind), upgraded.all(kind), strict=True):
            assert old["metadata"]["labels"] != new["metadata"]["labels"]
            own, theirs = new["spec"]["template"], old["spec"]["template"]
            assert own["metadata"] == theirs["metadata"]
            same += [kind] if own == theirs else []
    assert same == ["Deployment", "DaemonSet"], "Prometheus and node-exporter"


def test_without_a_node_exporter_none_is_looked_for() -> None:
    rendered = render({"nodeExporter": {"enabled": False}})
    assert not rendered.all("DaemonSet")
    assert [job["job_name"] for job in prometheus_config(rendered)["scrape_configs"]] == [
        "encbench",
        "encbench-operator",
    ]


def test_the_release_may_keep_its_own_namespace_to_itself(apart: Rendered) -> None:
    (container,) = apart.one("Deployment", "operator")["spec"]["template"]["spec"]["containers"]
    assert arguments().parse_args(container["args"]).namespace == ["team-a"]
    places = {body["metadata"]["namespace"] for body in apart.all("Role", "operator")}
    assert places == {"team-a"}
    jobs = prometheus_config(apart)["scrape_configs"]
    found = {
        name for job in jobs for name in job["kubernetes_sd_configs"][0]["namespaces"]["names"]
    }
    assert found == {NAMESPACE, "team-a"}, "its node exporters are still there"


def test_policies_hold_in_the_watched_namespaces_only(
    default: Rendered, namespaces: Rendered, apart: Rendered
) -> None:
    for rendered, places in ((default, [NAMESPACE]), (namespaces, [NAMESPACE, "team-a", "team-b"])):
        bindings = rendered.all("ValidatingAdmissionPolicyBinding")
        policies = {body["metadata"]["name"] for body in rendered.all("ValidatingAdmissionPolicy")}
        assert {body["spec"]["policyName"] for body in bindings} == policies
        assert len(policies) == 4
        for body in bindings:
            (rule,) = body["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"]
            assert rule["values"] == places
        (container,) = rendered.one("Deployment", "operator")["spec"]["template"]["spec"][
            "containers"
        ]
        assert {*arguments().parse_args(container["args"]).admission_policy} == policies
        (role,) = rendered.all("ClusterRole", "operator")
        (rule,) = [r for r in role["rules"] if "admissionregistration.k8s.io" in r["apiGroups"]]
        assert {*rule["resourceNames"]} == policies
    assert not apart.all("ValidatingAdmissionPolicy")
    (container,) = apart.one("Deployment", "operator")["spec"]["template"]["spec"]["containers"]
    assert arguments().parse_args(container["args"]).admission_policy == []
