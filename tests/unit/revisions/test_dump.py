"""The dump finds the code that it runs, and replaces what is random."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from encbench.core.certificates import entries
from tests.revisions import surface
from tests.revisions.normal import Names, open_, sent
from tests.revisions.scenarios import scenarios
from tests.support import certified


@pytest.mark.parametrize("thing", surface.PLACES)
def test_everything_that_the_dump_imports_is_found(thing: str) -> None:
    assert surface.find(thing) is not None


def test_a_module_that_lacks_an_import_of_its_own_is_not_taken_for_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(surface, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        surface.find("World")


def test_places_are_tried_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    places = ("encbench.nowhere:Kind", "encbench.api.kinds:Gone", "encbench.api.kinds:Kind")
    monkeypatch.setitem(surface.PLACES, "it", places)
    assert surface.find("it").__name__ == "Kind"
    monkeypatch.setitem(surface.PLACES, "it", places[:2])
    with pytest.raises(LookupError, match="add its place"):
        surface.find("it")


def test_scenarios_have_names_of_their_own() -> None:
    names = [scenario.name for scenario in scenarios()]
    assert len(names) == len(set(names))


def secret(**data: str) -> dict[str, Any]:
    encoded = {name: b64encode(text.encode()).decode() for name, text in data.items()}
    meta = {"name": "x", "resourceVersion": "7", "uid": "u"}
    return {"kind": "Secret", "metadata": meta, "data": encoded, "status": {}}


def issued(host: str) -> dict[str, Any]:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    made = certified.MAKER.issue(certified.authority(), "study-tls", (host,), now)
    return secret(**entries(made))


def test_a_certificate_is_replaced_by_its_description() -> None:
    one, again, other = issued("a.example"), issued("a.example"), issued("b.example")
    assert one["data"] != again["data"]
    told = sent(one)
    assert told == sent(again)
    assert told["metadata"] == {"name": "x"}
    assert "PRIVATE" not in str(told)
    differing = {name for name, text in sent(other)["data"].items() if text != told["data"][name]}
    assert differing == {"tls.crt"}


def test_other_entries_of_secrets_stay() -> None:
    assert open_(b64encode(b"password=1\n").decode()) == "password=1\n"


def test_numbers_of_the_fakes_are_replaced_by_names() -> None:
    names = Names()
    first, again = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
    for uid in (first, again, first):
        names.know({"kind": "Trial", "metadata": {"name": "t", "uid": uid}})
    names.stored({"a/b": b"content"})
    digest = "sha256:ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
    told = names.text(f"{first} {again} {digest} sha256:{'0' * 64}")
    assert told == (f"uid-of-Trial-t uid-of-Trial-t.again1 digest-of:a/b sha256:{'0' * 64}")


def test_markers_are_equal_whatever_was_drawn() -> None:
    drawn = [f"encbench-marker-{digit * 32} in encbench_marker_{digit * 16}.ibd" for digit in "ab"]
    first, second = map(Names().text, drawn)
    assert first == second == "encbench-marker-random in encbench_marker_random.ibd"


def test_random_bytes_are_numbered_in_the_order_in_which_they_appear() -> None:
    first, second = (f"{number:032x}" for number in (7, 31))
    numbered = [Names().sent(f"{a} {b} {a}") for a, b in ((first, second), (second, first))]
    assert numbered[0] == numbered[1]
    assert numbered[0] != Names().sent(f"{first} {first} {first}")
    assert Names().sent("0" * 32) == "0" * 32
