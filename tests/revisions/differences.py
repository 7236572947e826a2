"""The differences between two folders of files, and those among them that are explained.

JSON and CSV are compared by content: the place of a difference is a field, not a line. Items of a
list go by their names where they have any: `spec.containers[agent].image`.
"""

import csv
import difflib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ABSENT = "(absent)"
_NAMING = ("name", "type", "key")
"""Fields that name the items of a list, where every item has one and no two are equal."""


@dataclass(frozen=True)
class Difference:
    """One place in one file."""

    file: str
    place: str
    before: str
    after: str


@dataclass(frozen=True)
class Explanation:
    """Differences that are wanted, by regular expressions that must match in full."""

    reason: str
    file: str = ".*"
    place: str = ".*"
    before: str = ".*"
    after: str = ".*"
    same_figures: bool = False
    """Whether the numbers of both sides must be equal, in any order: then only words differ."""

    def covers(self, found: Difference) -> bool:
        """Whether this explains the difference."""
        pairs = (
            (self.file, found.file),
            (self.place, found.place),
            (self.before, found.before),
            (self.after, found.after),
        )
        if self.same_figures and _figures(found.before) != _figures(found.after):
            return False
        return all(re.fullmatch(wanted, text, re.DOTALL) for wanted, text in pairs)


def _figures(text: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:[.,]\d+)*", text))


def read(file: Path) -> list[Explanation]:
    """Read explanations from YAML; ValueError when one lacks a reason or covers everything."""
    found = [Explanation(**entry) for entry in yaml.safe_load(file.read_text()) or []]
    for one in found:
        if not one.reason.strip() or one == Explanation(one.reason):
            raise ValueError(f"{file}: write a reason, and what it explains: {one}")
    return found


def compare(before: Path, after: Path) -> list[Difference]:
    """Every difference between two folders, by file."""
    names = sorted({*_files(before), *_files(after)})
    return [found for name in names for found in _of_file(name, before / name, after / name)]


def split(
    found: Iterable[Difference], explanations: Sequence[Explanation]
) -> tuple[list[Difference], dict[Explanation, int]]:
    """The differences that nothing explains, and how many each explanation covers."""
    unexplained, counts = list[Difference](), dict.fromkeys(explanations, 0)
    for one in found:
        covering = next((why for why in explanations if why.covers(one)), None)
        if covering is None:
            unexplained.append(one)
        else:
            counts[covering] += 1
    return unexplained, counts


def alike(found: Iterable[Difference]) -> list[list[Difference]]:
    """The differences by kind: the same field of other items, in files of the same kind."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for one in found:
        field = re.sub(r"\[[^]]*\]|line \d+", "[]", one.place)
        groups.setdefault((_kind(Path(one.file)), field), []).append(one)
    return list(groups.values())


def _kind(file: Path) -> str:
    """The path without what names one object: of worlds, commands and bodies that were sent."""
    match file.parts:
        case ("worlds", _, "objects", kind, _, name):
            return f"{kind}/{name.lstrip('0123456789')}"
        case ("commands", _):
            return file.suffix
        case _:
            return f"{file.parts[0]}/{file.name}"


def _files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def _of_file(name: str, before: Path, after: Path) -> Iterator[Difference]:
    old, new = (file.read_bytes() if file.exists() else None for file in (before, after))
    if old == new:
        return
    if old is None or new is None:
        sizes = (ABSENT if content is None else f"{len(content)} bytes" for content in (old, new))
        yield Difference(name, "", *sizes)
        return
    found = list(_of_content(Path(name).suffix, old, new))
    if not found:
        found = list(_of_lines("(layout) ", old.decode(), new.decode()))
    yield from (Difference(name, *one) for one in found)


Change = tuple[str, str, str]


def _of_content(suffix: str, old: bytes, new: bytes) -> Iterator[Change]:
    if suffix == ".json":
        yield from _of_values("", json.loads(old), json.loads(new))
    elif suffix == ".csv":
        yield from _of_values("", _rows(old), _rows(new))
    else:
        yield from _of_lines("", old.decode(), new.decode())


def _rows(content: bytes) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(content.decode()), restkey="(more)", restval=ABSENT))


def _of_values(place: str, old: Any, new: Any) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _of_fields(place, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        for name in _NAMING:
            if _tells_apart(name, old) and _tells_apart(name, new):
                items = [{f"[{item[name]}]": item for item in side} for side in (old, new)]
                yield from _of_fields(place, *items)
                if [*items[0]] != [*items[1]]:
                    yield f"{place} (order)", " ".join(items[0]), " ".join(items[1])
                return
        numbered = [{f"[{n}]": item for n, item in enumerate(side)} for side in (old, new)]
        yield from _of_fields(place, *numbered)
    elif type(old) is not type(new) or old != new:
        if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
            yield from _of_lines(f"{place} ", old, new)
        else:
            yield place, json.dumps(old), json.dumps(new)


def _of_fields(place: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        own = f"{place}{name}" if name.startswith("[") or not place else f"{place}.{name}"
        if name not in new:
            yield own, json.dumps(old[name]), ABSENT
        elif name not in old:
            yield own, ABSENT, json.dumps(new[name])
        else:
            yield from _of_values(own, old[name], new[name])


def _tells_apart(name: str, items: Sequence[Any]) -> bool:
    named = [item.get(name) for item in items if isinstance(item, dict)]
    return len({*map(str, named)} - {"None"}) == len(items) > 0


def _of_lines(place: str, old: str, new: str) -> Iterator[Change]:
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            gone, come = "\n".join(before[first:last]), "\n".join(after[start:end])
            yield f"{place}line {first + 1}", gone or ABSENT, come or ABSENT
