"""The models' own behaviour: parsing, nulls, durations and quantities, transitions."""

import pytest
from pydantic import TypeAdapter, ValidationError

from encbench.api import kinds
from encbench.api.base import Placement, Resources
from encbench.api.campaign import FROZEN_FIELDS, CampaignSpec, CampaignStatus
from encbench.api.columns import Columns, JarUrl
from encbench.api.conditions import Condition
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.resources import RESOURCES, problems
from encbench.api.scalars import parse_duration, parse_quantity
from encbench.api.workload import WorkloadSpec
from tests.support.manifests import SPECS, body


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("1m30s", 90), ("2h", 7200), ("500ms", 0.5), ("0s", 0), ("1h1m1s1ms", 3661.001)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "90", "s", "1.5s", "90 s", "-1s", "1d", "90s\n", "1234567s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="write a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2), ("500m", 0.5), ("0.5", 0.5), ("1k", 1000), ("512Mi", 2**29), ("10Gi", 10 * 2**30)],
)
def test_quantities(text: str, value: float) -> None:
    assert parse_quantity(text) == pytest.approx(value)


def test_a_missing_ratio_is_asked_for_with_those_of_both_methods() -> None:
    with pytest.raises(ValidationError, match=r"0, 20, 50 or 100; with method: enclave 75 or 100"):
        Columns.model_validate({"method": "enclave", "enclave": {}})


@pytest.mark.parametrize("text", ["", "1.", ".5", "1e3", "5 Gi", "5gi", "-1", "1Gi\n", "1.2.3"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="write a quantity"):
        parse_quantity(text)


def test_resources_in_numbers() -> None:
    resources = Resources.model_validate({"cpu": 2, "memory": "512Mi"})
    assert (resources.cpu, resources.cores, resources.memory_bytes) == ("2", 2.0, 2**29)


@pytest.mark.parametrize("cpu", ["16Gi", "2k", "1M", "0", "0m", "4 cores"])
def test_cpu_is_in_cores(cpu: str) -> None:
    with pytest.raises(ValidationError, match="write cores, more than zero, such as 500m or 4"):
        Resources.model_validate({"cpu": cpu, "memory": "512Mi"})


@pytest.mark.parametrize(
    "rest",
    ["[x/a.jar", "me@host/a.jar", "/a.jar", "h ost/a.jar", "h:/a", "../a", "repo..example/a.jar"],
)
def test_a_jar_has_a_url_with_a_host(rest: str) -> None:
    with pytest.raises(ValidationError, match="write an http or https URL"):
        TypeAdapter(JarUrl).validate_python(f"https://{rest}")


@pytest.mark.parametrize(
    "rest",
    [
        "example.com/driver-1.0.jar",
        "10.0.0.1:8080/a?b",
        "my_host",
        "host.example.com./a..jar",
        "[fd00::1]:8443/a.jar",
    ],
)
def test_jars_come_from_any_host(rest: str) -> None:
    assert TypeAdapter(JarUrl).validate_python(f"https://{rest}") == f"https://{rest}"


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.kind.plural)
def test_specs_survive_the_round_trip(resource: object) -> None:
    spec = next(one.spec for one in RESOURCES if one is resource)
    kind = next(one.kind for one in RESOURCES if one is resource)
    value = spec.model_validate(SPECS[kind])
    assert spec.model_validate(value.to_dict()) == value


def test_null_counts_as_left_out() -> None:
    spec = InstanceTemplateSpec.model_validate(
        {
            **SPECS[kinds.INSTANCE_TEMPLATE],
            "settings": {"max_connections": None},
            "placement": None,
            "imagePullPolicy": None,
        }
    )
    assert spec.settings == {}
    assert spec.placement == Placement()
    assert spec.image_pull_policy == "IfNotPresent"


def test_a_required_field_may_not_be_null() -> None:
    with pytest.raises(ValidationError, match="storage"):
        InstanceTemplateSpec.model_validate({**SPECS[kinds.INSTANCE_TEMPLATE], "storage": None})


def test_both_spellings_and_no_others() -> None:
    assert CampaignStatus.model_validate({"reportRef": "a"}).report_ref == "a"
    assert CampaignStatus.model_validate({"report_ref": "a"}).report_ref == "a"
    with pytest.raises(ValidationError):
        CampaignStatus.model_validate({"reportref": "a"})


def test_numbers_are_finite() -> None:
    with pytest.raises(ValidationError, match="finite"):
        CampaignSpec.model_validate({**SPECS[kinds.CAMPAIGN], "margin": float("nan")})


def test_a_condition_is_there_once() -> None:
    fact = Condition(
        type="Ready", status="True", reason="Done", last_transition_time="2030-01-01T00:00:00Z"
    )
    assert CampaignStatus(conditions=[fact]).conditions == [fact]
    with pytest.raises(ValidationError, match="Duplicate value: 'Ready'"):
        CampaignStatus(conditions=[fact, fact])


@pytest.mark.parametrize("time", ["2030-01-01T00:00:00", "yesterday", ""])
def test_times_have_a_zone(time: str) -> None:
    with pytest.raises(ValidationError):
        CampaignStatus(start_time=time)


def test_problems_name_path_and_remedy() -> None:
    wrong = body(kinds.CAMPAIGN, "study", "ns", margin=2)
    wrong["spec"]["matrix"][0]["modeRefs"] = ["TDE"]
    wrong["extra"] = 1
    assert problems(kinds.CAMPAIGN, wrong) == [
        "extra: unknown field",
        "spec.matrix[0].modeRefs[0]: write the name of a Kubernetes object: lower "
        "case letters, digits, - and .",
        "spec.margin: Input should be less than 1",
    ]


@pytest.mark.parametrize("name", ["Demo", "my_campaign", "-x", "a..b", ""])
def test_a_name_is_one_that_kubernetes_takes(name: str) -> None:
    (said,) = problems(kinds.CAMPAIGN, body(kinds.CAMPAIGN, name, "ns"))
    assert said.startswith("metadata.name: a lowercase RFC 1123 subdomain must consist of ")


def test_problems_of_a_change() -> None:
    old = body(kinds.CAMPAIGN, "study", "ns")
    assert problems(kinds.CAMPAIGN, body(kinds.CAMPAIGN, "study", "ns", suspend=True), old) == []
    (said,) = problems(kinds.CAMPAIGN, body(kinds.CAMPAIGN, "study", "ns", seed=7), old)
    assert said.startswith("spec: seed is fixed once the campaign exists")
    newer = {**old, "spec": {**old["spec"], "somethingNew": 1}}
    assert problems(kinds.CAMPAIGN, old, newer) == []
    other = {**old, "spec": {**old["spec"], "seed": "of a new kind"}}
    (said,) = problems(kinds.CAMPAIGN, old, other)
    assert said.startswith("spec: the object in the cluster is of another version of encbench")


def test_every_field_of_a_campaign_is_frozen_or_may_change() -> None:
    """A new field is in neither: without a decision, a plan could change while it is measured."""
    fields = {field.alias: field for field in CampaignSpec.model_fields.values()}
    may_change = {"suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished"}
    assert fields.keys() == {*FROZEN_FIELDS, *may_change}
    absent = {name for name in FROZEN_FIELDS if fields[name].default is None}
    assert absent == {
        name
        for name, rule in zip(FROZEN_FIELDS, CampaignSpec.transitions, strict=True)
        if f"has(self.{name})" in rule.cel
    }, "CEL cannot compare a field that is not there"


def test_options_with_either_separator_are_owned() -> None:
    for option in ("mysql_user", "mysql-user", "table-size", "pgsql-host"):
        wrong = {**SPECS[kinds.WORKLOAD], "sysbench": {"script": "oltp_insert"}}
        wrong["sysbench"] = {**wrong["sysbench"], "options": {option: "x"}}
        with pytest.raises(ValidationError, match="omit options that encbench sets itself"):
            WorkloadSpec.model_validate(wrong)
