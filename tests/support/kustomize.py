"""What `kubectl kustomize` makes of a folder, as far as our campaigns use it.

Resources, files or folders, and patches by JSON Patch with targets by kind and name. Anything else
in a kustomization is an error, so that nothing is passed over in silence; tests/contract/api holds
it to the real one.
"""

import re
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]
_KNOWN = {"apiVersion", "kind", "resources", "patches"}


def built(folder: Path) -> list[Manifest]:
    """The folder's objects, patched."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(kustomization) <= _KNOWN, f"{folder}: teach this module {set(kustomization)}"
    bodies: list[Manifest] = []
    for name in kustomization["resources"]:
        place = folder / name
        found = built(place) if place.is_dir() else yaml.safe_load_all(place.read_text())
        bodies += [body for body in found if body is not None]
    for patch in kustomization.get("patches", []):
        targets = [body for body in bodies if _is_target(body, patch["target"])]
        assert targets, f"{folder}: no object is {patch['target']}"
        steps = yaml.safe_load(patch["patch"])
        assert isinstance(steps, list), f"{folder}: teach this module patches by merging"
        for body in targets:
            for step in steps:
                _apply(body, step)
    return bodies


def files(folder: Path) -> set[Path]:
    """The files that the folder's kustomization and those below it name, themselves included."""
    own = folder / "kustomization.yaml"
    found = {own.resolve()}
    for name in yaml.safe_load(own.read_text())["resources"]:
        place = (folder / name).resolve()
        found |= files(place) if place.is_dir() else {place}
    return found


def _is_target(body: Manifest, target: dict[str, str]) -> bool:
    assert set(target) <= {"kind", "name"}
    found = {"kind": body["kind"], "name": body["metadata"]["name"]}
    return all(re.fullmatch(wanted, found[key]) for key, wanted in target.items())


def _apply(body: Manifest, step: dict[str, Any]) -> None:
    """One step of RFC 6902: add, replace or remove."""
    *way, last = [
        part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]
    ]
    place: Any = body
    for part in way:
        place = place[int(part) if isinstance(place, list) else part]
    key: Any = int(last) if isinstance(place, list) and last != "-" else last
    match step["op"]:
        case "add" if isinstance(place, list):
            place.insert(len(place) if key == "-" else key, step["value"])
        case "add":
            place[key] = step["value"]
        case "replace":
            assert place[key] is not None
            place[key] = step["value"]
        case "remove":
            del place[key]
        case other:
            raise AssertionError(f"teach this module {other}")
