"""Provenance: what was the same everywhere and what was not."""

from dataclasses import replace

from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.provenance import Bed, provenance

PLACES = {
    "a": Bed("small/plain", "c1", "plain", 1, has_twin=True),
    "control": Bed("small/control", "c1", "control", 1, has_twin=True),
    "b": Bed("small/tde", "c1", "tde", 1),
    "a2": Bed("small/plain", "c1", "plain", 2, has_twin=True),
    "control2": Bed("small/control", "c1", "control", 2, has_twin=True),
    "b2": Bed("small/tde", "c1", "tde", 2),
    "wider": Bed("small/tde", "c2", "tde", 1),
}


def source(testbed: str, settings: dict[str, str], kernel: str = "6.1") -> ProvenanceSource:
    record = ProvenanceRecord(
        testbed=testbed,
        server=ServerFacts(version="10.11.14", settings=settings),
        machine=MachineFacts(kernel=kernel, cpu_flags=("fpu", "aes", "vaes")),
    )
    return ProvenanceSource(key=f"{testbed}.json", digest="sha256:" + "0" * 64, record=record)


def test_a_fact_that_holds_everywhere_names_no_place() -> None:
    found = provenance([source("a", {"x": "1"}), source("b", {"x": "1"})], PLACES)
    facts = {fact.name: fact.values for fact in found.facts}
    assert [(v.value, v.where) for v in facts["Server version"]] == [("10.11.14", ())]


def test_a_fact_that_differs_names_its_places() -> None:
    found = provenance([source("a", {}, "6.1"), source("b", {}, "6.2")], PLACES)
    kernel = next(fact for fact in found.facts if fact.name == "Kernel")
    assert [(v.value, v.where) for v in kernel.values] == [
        ("6.1", ("small/plain",)),
        ("6.2", ("small/tde",)),
    ]


def test_the_jar_of_a_driver_is_a_fact_of_its_arm() -> None:
    jar = f"sha256:{'0a' * 32}"
    plain, own = source("a", {}), source("b", {})
    own = replace(own, record=own.record.model_copy(update={"driver_jars": (jar,)}))
    facts = {fact.name: fact.values for fact in provenance([plain, own], PLACES).facts}
    assert [(v.value, v.where) for v in facts["Jar of the mode's driver"]] == [
        (jar, ("small/tde",))
    ]


def test_settings_are_compared_between_arms() -> None:
    found = provenance(
        [
            source("a", {"same": "1", "encrypt": "OFF", "hostname": "a-0"}),
            source("b", {"same": "1", "encrypt": "ON", "hostname": "b-0", "extra": "x"}),
        ],
        PLACES,
    )
    assert [fact.name for fact in found.settings_differing] == ["encrypt", "extra"]
    assert found.settings_differing[1].values[0].value == "(absent)"
    assert found.settings_equal == 1


def test_counters_among_the_settings_are_left_out() -> None:
    found = provenance(
        [source("a", {"gtid": "1"}), source("a", {"gtid": "2"}), source("b", {"gtid": "1"})], PLACES
    )
    assert not found.settings_differing


def test_what_changed_from_one_set_of_testbeds_to_the_next_is_no_counter() -> None:
    settings = {
        "a": {"sync_binlog": "0", "gtid": "1", "scope": "none"},
        "control": {"sync_binlog": "0", "gtid": "2", "scope": "none"},
        "b": {"sync_binlog": "0", "gtid": "3", "scope": "all"},
        "a2": {"sync_binlog": "1", "gtid": "4", "scope": "none"},
        "control2": {"sync_binlog": "1", "gtid": "5", "scope": "none"},
        "b2": {"sync_binlog": "1", "gtid": "3", "scope": "all"},
    }
    found = provenance([source(*one) for one in settings.items()], PLACES)
    differing = {fact.name: fact.values for fact in found.settings_differing}
    assert {*differing} == {"scope", "sync_binlog"}
    assert [(v.value, v.where) for v in differing["sync_binlog"]] == [
        (value, ("small/plain", "small/control", "small/tde")) for value in ("0", "1")
    ]


def test_what_each_cell_needs_has_not_changed() -> None:
    found = provenance(
        [source("b", {"max_connections": "70"}), source("wider", {"max_connections": "90"})], PLACES
    )
    assert not found.settings_differing


def test_a_server_that_did_not_answer_differs_in_nothing() -> None:
    found = provenance([source("a", {"x": "1"}), source("a", {}), source("b", {"x": "1"})], PLACES)
    assert not found.settings_differing
    assert found.settings_equal == 1


def test_only_flags_that_matter_for_ciphers_are_shown() -> None:
    assert provenance([source("a", {})], PLACES).cpu_flags == ("aes", "vaes")
