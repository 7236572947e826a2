"""Bad input: refused with the field, the entry and what to write, or accepted and harmless."""

import copy
import re
from typing import Any

import pytest

from encbench.api.crd import schema
from encbench.api.resources import RESOURCES, problems
from tests.support.manifests import body
from tests.support.odd import INJECTIONS, ODD, Path, changed, fields, texts
from tests.unit.admission.hostile import (
    SCENARIOS,
    admitted,
    assert_harmless,
    children,
    manifests,
    refusals,
)

USERS = ("instancetemplates", "encryptionmodes", "workloads", "campaigns")
REMEDY = re.compile(
    r"\b(write|omit|choose|make|name|leave|lower|raise|rename|use|should|have|need|not permitted"
    r"|required|correct|create|unknown field|add|set|kubectl)\b",
    re.IGNORECASE,
)
MAPS = {"settings", "options", "urlParameters", "nodeSelector"}
"""Fields whose entries authors name."""


def where(path: Path) -> str:
    """A place as the API server writes it."""
    return "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in path).lstrip(".")


def assert_says(said: list[str], path: Path, entry: str = "") -> None:
    """One of the lines is about this place, names the entry, and each says what to do."""
    for line in said:
        assert REMEDY.search(line), f"no remedy: {line[:300]}"
    names = [part for part in path if isinstance(part, str)][1:] or ["spec"]
    about = [line for line in said if any(name in line for name in names[-2:])]
    assert about, f"{where(path)} is not named in {said}"
    if entry:
        assert any(entry in line for line in about), f"{entry!r} is not named in {about}"


@pytest.mark.parametrize(
    "resource", [one for one in RESOURCES if one.kind.plural in USERS], ids=lambda r: r.kind.plural
)
def test_every_field_with_odd_values(resource: Any) -> None:
    """Whether the API server agrees, tests/contract/api/test_agreement.py says."""
    tried = refused = 0
    for path in fields(schema(resource)["properties"]["spec"], ("spec",)):
        for value in (*ODD, *INJECTIONS):
            one = changed(copy.deepcopy(body(resource.kind, "odd", "space")), path, value)
            said = problems(resource.kind, one)
            tried += 1
            if said:
                refused += 1
                assert_says(said, path[:2])
    assert tried > 300
    assert refused > tried / 2


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_text_with_injections(scenario: str) -> None:
    """Into each text that an author writes, through admission into what the operator makes."""
    written = manifests(scenario)
    found, nothing = admitted(written)
    assert nothing == ()
    usual = children(written, found)
    accepted = set[Path]()
    for kind, one in written.items():
        for path in texts(one["spec"], ("spec",)):
            for text in INJECTIONS:
                odd = {**written, kind: changed(one, path, text)}
                if said := refusals(odd[kind]):
                    assert_says(said, path)
                    continue
                found, wrong = admitted(odd)
                if wrong:
                    assert_says([problem.text for problem in wrong], path)
                    continue
                accepted.add(path)
                assert_harmless(children(odd, found), usual, text)
    print(scenario, sorted(map(where, accepted)))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_map_with_injected_names(scenario: str) -> None:
    """A name of an entry is refused, and said."""
    for one in manifests(scenario).values():
        for path in texts(one["spec"], ("spec",)):
            if len(path) < 2 or path[-2] not in MAPS:
                continue
            for text in INJECTIONS:
                said = refusals({**one, "spec": changed(one, (*path[:-1], text), "1")["spec"]})
                assert said, f"{where(path[:-1])} takes an entry {text!r}"
                assert_says(said, path[:-1], text[:40])


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("options", "runMins"),
        ("options", "passwordFile"),
        ("options", "a b"),
        ("urlParameters", "sslMode"),
        ("urlParameters", "USER"),
        ("urlParameters", "autoDeserialize"),
        ("urlParameters", "socketFactory"),
        ("urlParameters", "allowloadlocalinfile"),
        ("urlParameters", "a&b"),
    ],
)
def test_a_refused_entry_of_tpcc_is_named(field: str, entry: str) -> None:
    one = manifests("tpcc")["Workload"]
    path: Path = ("spec", "tpcc", field, entry)
    (line,) = refusals(changed(one, path, "1"))
    assert line.startswith(f"spec.tpcc.{field}: {entry}: ")
    assert REMEDY.search(line)
