"""How the operator's own metrics are offered: Service, monitors, alerts, dashboard."""

import itertools
import re
from collections import Counter
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from encbench.api.campaign import StepDeadlines
from encbench.api.scalars import parse_duration
from encbench.kube.labels import MANAGED_BY
from encbench.options import arguments
from encbench.reconcile.campaign.hindrance import TURNS
from encbench.reconcile.trial.series import MODES
from encbench.sidecars.agent import metrics as agent_metrics
from encbench.sidecars.agent.process import CpuPeriods, Reading
from encbench.sidecars.recorder import api as recorder
from encbench.sidecars.recorder.process import Usage
from encbench.sidecars.recorder.run import Run
from encbench.tools.progress import Sample
from tests.support.chart import NAMESPACE, REPO, Rendered, render
from tests.support.dashboards import alerts, dashboard, metric_names, panels, queries
from tests.support.metered import metered
from tests.unit.chart.contents import prometheus_config
from tests.unit.chart.variants import EVERYTHING


def pods_of(rendered: Rendered, selector: dict[str, str]) -> list[dict[str, Any]]:
    """Pods of the chart with these labels."""
    templates = [body["spec"]["template"] for body in rendered.all("Deployment")]
    templates += [body["spec"]["template"] for body in rendered.all("DaemonSet")]
    return [one for one in templates if selector.items() <= one["metadata"]["labels"].items()]


def ports(pod: dict[str, Any]) -> dict[str, int]:
    return {p["name"]: p["containerPort"] for c in pod["spec"]["containers"] for p in c["ports"]}


def test_nothing_needs_the_prometheus_operator_unless_it_is_asked_for(default: Rendered) -> None:
    for kind in ("ServiceMonitor", "PodMonitor", "PrometheusRule"):
        assert not default.all(kind)
    assert not default.all("ConfigMap", "dashboard")


def test_the_service_and_its_monitor_find_the_operators_port(everything: Rendered) -> None:
    service = everything.one("Service", "operator")
    (pod,) = pods_of(everything, service["spec"]["selector"])
    (args,) = [container["args"] for container in pod["spec"]["containers"]]
    (port,) = service["spec"]["ports"]
    assert ports(pod)[port["targetPort"]] == arguments().parse_args(args).metrics_port
    monitor = everything.one("ServiceMonitor", "operator")
    assert monitor["metadata"]["labels"]["release"] == "kps"
    wanted = monitor["spec"]["selector"]["matchLabels"]
    assert wanted.items() <= service["metadata"]["labels"].items()
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint == {"port": port["name"], "interval": "15s", "honorLabels": True}


def test_the_documents_have_all_labels_that_a_prometheus_of_one_s_own_needs(
    default: Rendered,
) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(default)["scrape_configs"]}
    rules = jobs["encbench"]["relabel_configs"]
    needed = [rule["target_label"] for rule in rules if "target_label" in rule]
    text = (REPO / "docs" / "install.md").read_text()
    (row,) = [line for line in text.splitlines() if line.startswith("| agents, recorders |")]
    assert set(needed) == set(re.findall("`([a-z]+)`", row))


def test_pod_monitors_give_series_the_labels_of_the_bundled_prometheus(
    everything: Rendered,
) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(everything)["scrape_configs"]}
    monitors = [(body["spec"], "encbench") for body in everything.all("PodMonitor", "operator")]
    exporters = everything.one("PodMonitor", "node-exporter")["spec"]
    for spec, job in (*monitors, (exporters, "node-exporter")):
        (endpoint,) = spec["podMetricsEndpoints"]
        assert (endpoint["port"], endpoint["interval"]) == ("metrics", "1s")
        ours = {
            rule["targetLabel"]: rule["sourceLabels"]
            for rule in endpoint["relabelings"]
            if "targetLabel" in rule
        }
        theirs = {
            rule["target_label"]: rule["source_labels"]
            for rule in jobs[job]["relabel_configs"]
            if "target_label" in rule
        }
        # The Prometheus Operator adds these by itself.
        assert {**ours, "namespace": 0, "pod": 0} == {**theirs, "namespace": 0, "pod": 0}
    (pod,) = pods_of(everything, exporters["selector"]["matchLabels"])
    assert "metrics" in ports(pod)
    (endpoint,) = exporters["podMetricsEndpoints"]
    assert endpoint["relabelings"][-1] == {"action": "labeldrop", "regex": "pod"}


def test_a_pod_monitor_selects_what_the_bundled_prometheus_keeps(everything: Rendered) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(everything)["scrape_configs"]}
    (discovery,) = jobs["encbench"]["kubernetes_sd_configs"]
    (selector,) = discovery["selectors"]
    keep = jobs["encbench"]["relabel_configs"][0]
    manager, kinds = keep["regex"].split(";")
    label, controller = keep["source_labels"]
    assert label == "__meta_kubernetes_pod_label_app_kubernetes_io_managed_by"
    scraped = dict([selector["label"].split("=")])
    kept = {"sourceLabels": [controller], "regex": kinds.strip("()"), "action": "keep"}
    for body in everything.all("PodMonitor", "operator"):
        assert body["spec"]["selector"] == {"matchLabels": {MANAGED_BY: manager, **scraped}}
        (endpoint,) = body["spec"]["podMetricsEndpoints"]
        assert endpoint["relabelings"][0] == kept


@pytest.mark.parametrize("own", [True, False])
def test_a_pod_monitor_is_of_its_own_namespace_alone(own: bool) -> None:
    """Where its namespace is enforced, another's pods would have the wrong label."""
    watched = {"watchReleaseNamespace": own, "watchNamespaces": ["team-a", "team-b"]}
    rendered = render({**EVERYTHING, **watched})
    monitors = rendered.all("PodMonitor", "operator")
    found = [body["metadata"]["namespace"] for body in monitors]
    assert found == [*([NAMESPACE] if own else []), "team-a", "team-b"]
    assert rendered.one("PodMonitor", "node-exporter")["metadata"]["namespace"] == NAMESPACE
    for body in rendered.all("PodMonitor"):
        assert "namespaceSelector" not in body["spec"]
        assert body["metadata"]["labels"]["release"] == "kps"


def test_two_releases_that_watch_a_namespace_have_two_monitors_there(everything: Rendered) -> None:
    (name,) = {body["metadata"]["name"] for body in everything.all("PodMonitor", "operator")}
    assert NAMESPACE in name


def test_without_node_exporters_none_are_scraped() -> None:
    rendered = render({**EVERYTHING, "nodeExporter": {"enabled": False}})
    assert not rendered.all("PodMonitor", "node-exporter")


def test_the_bundled_prometheus_scrapes_the_operator(default: Rendered) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(default)["scrape_configs"]}
    job = jobs["encbench-operator"]
    (discovery,) = job["kubernetes_sd_configs"]
    (selector,) = discovery["selectors"]
    wanted = dict(pair.split("=") for pair in selector["label"].split(","))
    (pod,) = pods_of(default, wanted)
    assert "metrics" in ports(pod)
    assert job["honor_labels"], "a campaign's namespace would be overwritten by the operator's"


def test_alerts_and_dashboard_are_the_files_of_the_chart(everything: Rendered) -> None:
    (rules,) = everything.all("PrometheusRule")
    assert [rule for group in rules["spec"]["groups"] for rule in group["rules"]] == alerts()
    assert f'{{namespace="{NAMESPACE}"}}' in alerts()[0]["expr"], "another release's is not ours"
    shown = everything.one("ConfigMap", "dashboard")
    assert yaml.safe_load(shown["data"]["encbench.json"]) == dashboard()
    assert shown["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert shown["metadata"]["annotations"] == {"grafana_folder": "Databases"}


def test_every_query_is_about_metrics_that_the_operator_has() -> None:
    families = text_string_to_metric_families(metered().exposition().decode())
    exported = {sample.name for family in families for sample in family.samples}
    for name, query in queries().items():
        asked = metric_names(query)
        assert asked, f"{name}: {query}"
        assert asked <= exported, name


def test_a_panel_by_campaign_keeps_namespaces_apart() -> None:
    """Two of them may have a campaign of the same name."""
    for panel in panels():
        for target in panel["targets"]:
            kept = re.findall(r"by \(([^)]*)\)", target["expr"])
            if any("campaign" in one for one in kept):
                assert all("namespace" in one for one in kept), panel["title"]
                assert "{{namespace}}" in target["legendFormat"], panel["title"]


def test_an_alert_keeps_releases_apart() -> None:
    for rule in alerts():
        sums = len(re.findall(r"\b(sum|max|min|avg|count)\b", rule["expr"]))
        kept = re.findall(r"by \(([^)]*)\)", rule["expr"])
        assert len(kept) == sums, rule["alert"]
        assert all("namespace" in one for one in kept), rule["alert"]
    for name in ("EncbenchReconcileErrors", "EncbenchApiServerErrors"):
        (rule,) = [one for one in alerts() if one["alert"] == name]
        assert "{{ $labels.namespace }}" in rule["annotations"]["summary"], name


def test_alerts_say_what_and_what_to_do() -> None:
    for rule in alerts():
        assert rule["alert"].startswith("Encbench")
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert {"summary", "description"} == rule["annotations"].keys()
        assert rule["for"]


def test_the_documents_list_every_alert() -> None:
    text = (REPO / "docs" / "operating.md").read_text()
    listed = re.findall(r"^\| `(Encbench\w+)` \|", text, re.MULTILINE)
    assert listed == [rule["alert"] for rule in alerts()]


def test_a_hindered_campaign_is_known_before_a_default_deadline_ends_the_step() -> None:
    (rule,) = [one for one in alerts() if one["alert"] == "EncbenchCampaignHindered"]
    limits = StepDeadlines()
    shortest = min(map(parse_duration, (limits.start, limits.provision, limits.proof)))
    assert parse_duration(rule["for"]) <= shortest


def test_a_campaign_that_waits_for_its_turn_is_none_that_is_hindered() -> None:
    (rule,) = [one for one in alerts() if one["alert"] == "EncbenchCampaignHindered"]
    (reasons,) = re.findall('reason!~"([^"]+)"', rule["expr"])
    assert reasons == "|".join(TURNS)


def test_panels_have_a_place_of_their_own_and_a_title() -> None:
    everything_ = dashboard()["panels"]
    assert len({panel["id"] for panel in everything_}) == len(everything_)
    taken: set[tuple[int, int]] = set()
    for panel in everything_:
        at = panel["gridPos"]
        own = set(
            itertools.product(range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"]))
        )
        assert at["x"] + at["w"] <= 24, panel["title"]
        assert not own & taken, panel["title"]
        taken |= own
    titles = [panel["title"] for panel in panels()]
    assert len(set(titles)) == len(titles)
    for panel in panels():
        assert panel["description"].endswith("."), panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
    names = [variable["name"] for variable in dashboard()["templating"]["list"]]
    assert names == ["datasource", "namespace", "campaign"]


def told() -> dict[str, int]:
    """How often each series is told by an agent and by a recorder with all that they can have."""
    reading = Reading(7, 1.0, 1.0, 1, read_bytes=1, write_bytes=1, periods=CpuPeriods(9, 1))
    run = Run()
    run.wait()
    run.start(lambda: Usage(1.0, 3.25, 1, 1, None))
    run.last = Sample(1, 12.5, 250.0, 2.0, 0.0)
    agent = agent_metrics.metrics(lambda: reading, lambda: reading, lambda: reading)
    return Counter(one.name for one in (*agent, *recorder.metrics(run)))


def test_prometheus_keeps_the_series_of_agents_and_recorders_and_no_other(
    default: Rendered,
) -> None:
    jobs = {job["job_name"]: job for job in prometheus_config(default)["scrape_configs"]}
    keep, labels = jobs["encbench"]["metric_relabel_configs"]
    assert (keep["source_labels"], keep["action"]) == (["__name__"], "keep")
    named = [*told()]
    # Prometheus anchors the expression.
    assert [name for name in named if not re.fullmatch(keep["regex"], name)] == []
    for other in ("encbench_client", "xencbench_client_tps", "encbench_client_tps_1", "up"):
        assert re.fullmatch(keep["regex"], other) is None
    alternatives = re.findall(r"(\w*?)\(([\w|]+)\)(\w*)", keep["regex"])
    spelled = {f"{a}{b}{c}" for a, several, c in alternatives for b in several.split("|")}
    assert spelled == {*named}, "the expression names a metric that is gone"
    assert set(told().values()) == {1}
    assert 2 * len(named) < jobs["encbench"]["sample_limit"] <= 100
    given = [rule.get("target_label") for rule in jobs["encbench"]["relabel_configs"]]
    assert labels["action"] == "labelkeep"
    kept = {"__name__", "instance", "job", *filter(None, given)}
    assert set(labels["regex"].split("|")) == kept


def test_of_a_node_prometheus_keeps_what_the_operator_reads(everything: Rendered) -> None:
    """An exporter shows ten series for each CPU, and a node may have hundreds of CPUs."""
    jobs = {job["job_name"]: job for job in prometheus_config(everything)["scrape_configs"]}
    (keep,) = jobs["node-exporter"]["metric_relabel_configs"]
    assert (keep["source_labels"], keep["action"]) == (["__name__", "mode"], "keep")
    assert keep["regex"] == f"node_cpu_seconds_total;({'|'.join(MODES)})"
    exporters = everything.one("PodMonitor", "node-exporter")["spec"]
    (endpoint,) = exporters["podMetricsEndpoints"]
    (ours,) = endpoint["metricRelabelings"]
    assert ours == {
        "sourceLabels": keep["source_labels"],
        "regex": keep["regex"],
        "action": keep["action"],
    }


def test_prometheus_asks_nobody_but_its_targets(default: Rendered) -> None:
    for job in prometheus_config(default)["scrape_configs"]:
        assert job.get("follow_redirects", True) == (job["job_name"] == "node-exporter")
