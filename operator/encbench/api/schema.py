"""From pydantic's JSON schema to the structural schema of a CRD.

pydantic writes `$ref`, `anyOf` with null, `const`, `title` and `additionalProperties: false`, which
a structural schema may not have. Kubernetes wants every part inline, `exclusiveMinimum` as a
boolean, and a maximum for every length. A field without a description for `kubectl explain`, or
one that makes the cost of CEL unbounded, raises `SchemaError`.

Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
"""

import json
from collections.abc import Callable
from typing import Any

from encbench.api.base import Model
from encbench.api.rules import VALIDATIONS

Schema = dict[str, Any]

_KEPT = (
    *("default", "enum", "format", "maxItems", "maxLength", "maxProperties", "maximum"),
    *("minItems", "minLength", "minProperties", "minimum", "pattern"),
    *("x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type"),
    VALIDATIONS,
)


class SchemaError(Exception):
    """The model has something that a CRD cannot express, or lacks something that it needs."""


def structural(model: type[Model]) -> Schema:
    """The structural schema of a model. SchemaError names the field that does not fit."""
    whole = model.model_json_schema(by_alias=True)
    return _convert(whole, whole.get("$defs", {}), model.__name__)


def describe_defaults(schema: Schema) -> Schema:
    """The schema with plain defaults in its descriptions, because kubectl explain shows none."""
    made, default = _within(schema, describe_defaults), schema.get("default")
    if isinstance(default, bool | int | float | str) and default != "":
        made["description"] = f"{made['description']} Default: {json.dumps(default)}."
    return made


def without_rules(schema: Schema) -> Schema:
    """The schema without CEL.

    For a status, which the operator alone writes, from parts that were checked when they were
    applied. Kubernetes 1.32 ignores `maxLength` where an integer may stand too, and refuses a rule
    about such a text within a map as too expensive.
    """
    made = _within(schema, without_rules)
    made.pop(VALIDATIONS, None)
    return made


def _within(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy whose parts, one level below, are changed."""
    made = dict(schema)
    if "properties" in made:
        made["properties"] = {name: change(field) for name, field in made["properties"].items()}
    for inner in made.keys() & {"additionalProperties", "items"}:
        made[inner] = change(made[inner])
    return made


def _convert(node: Schema, definitions: Schema, path: str) -> Schema:
    node = _resolve(node, definitions, path)
    made: Schema = {}
    if "description" in node:
        made["description"] = " ".join(node["description"].split())
    if "type" in node and not node.get("x-kubernetes-int-or-string"):
        made["type"] = node["type"]
    made |= {key: node[key] for key in _KEPT if key in node}
    if "const" in node:
        made["enum"] = [node["const"]]
    for bound in ("Minimum", "Maximum"):
        if f"exclusive{bound}" in node:
            made[bound.lower()] = node[f"exclusive{bound}"]
            made[f"exclusive{bound}"] = True
    kind = node.get("type")
    if node.get("x-kubernetes-int-or-string"):
        return made
    if kind not in ("array", "boolean", "integer", "number", "object", "string"):
        raise SchemaError(f"{path}: no single type in {sorted(node)}")
    if kind == "integer":
        made["format"] = "int64"
    elif kind == "string":
        _require(node, ("maxLength", "enum", "const"), path)
    elif kind == "array":
        _require(node, ("maxItems",), path)
        made.setdefault("x-kubernetes-list-type", "atomic")
        made["items"] = _convert(node["items"], definitions, f"{path}[]")
    elif kind == "object":
        made |= _object(node, definitions, path)
    return made


def _object(node: Schema, definitions: Schema, path: str) -> Schema:
    if isinstance(node.get("additionalProperties"), dict):
        _require(node, ("maxProperties",), path)
        return {
            "additionalProperties": _convert(node["additionalProperties"], definitions, f"{path}[]")
        }
    made: Schema = {"properties": {}}
    for name, field in node.get("properties", {}).items():
        made["properties"][name] = _convert(field, definitions, f"{path}.{name}")
        if not made["properties"][name].get("description"):
            raise SchemaError(f"{path}.{name}: no description for kubectl explain")
    if node.get("required"):
        made["required"] = sorted(node["required"])
    return made


def _resolve(node: Schema, definitions: Schema, path: str) -> Schema:
    """Replace `$ref`, and the `anyOf` of a type and null; keys beside them take precedence."""
    while "$ref" in node or "anyOf" in node:
        beside = {key: value for key, value in node.items() if key not in ("$ref", "anyOf")}
        if "$ref" in node:
            base = definitions[node["$ref"].removeprefix("#/$defs/")]
        else:
            choices = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
            if len(choices) != 1:
                raise SchemaError(f"{path}: one type or null is all that a field may have")
            (base,) = choices
            # `field: X | None = None` writes null for absent; Kubernetes omits the field instead.
            if beside.get("default", ...) is None:
                del beside["default"]
        node = {**base, **beside}
    return node


def _require(node: Schema, keys: tuple[str, ...], path: str) -> None:
    if not any(key in node for key in keys):
        raise SchemaError(f"{path}: needs a maximum ({' or '.join(keys)})")
