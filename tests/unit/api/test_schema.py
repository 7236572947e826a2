"""From models to structural schemas."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from encbench.api.base import Model
from encbench.api.resources import RESOURCES
from encbench.api.rules import Rule, Transition, Unique
from encbench.api.scalars import Int, Number
from encbench.api.schema import SchemaError, describe_defaults, structural
from tests.support.fake_admission import fill_defaults

Text = Annotated[str, Field(max_length=8)]


class Part(Model):
    """A part.

    In two lines.
    """

    name: Text = Field(description="Name.")
    size: Int = Field(3, description="Size.")


class Whole(Model):
    """Whole."""

    rules = (Rule("self.a", "write a", lambda _: True),)
    transitions = (Transition("self == oldSelf", "leave it", lambda new, old: new == old),)

    kind: Literal["only"] = Field(description="Kind.")
    part: Part | None = Field(None, description="Part.")
    share: Annotated[Number, Field(gt=0, lt=1)] = Field(0.5, description="Share.")
    parts: Annotated[list[Part], Field(max_length=2), Unique("name")] = Field(
        default_factory=list, description="Parts."
    )
    tags: Annotated[list[Text], Field(max_length=2), Unique()] = Field(
        default_factory=list, description="Tags."
    )
    values: Annotated[dict[str, Text], Field(max_length=2)] = Field(
        default_factory=dict, description="Values."
    )


class Below(Part):
    """A part with a description below its field."""

    size: Int = 4
    """Size,
    of this one."""


def test_a_description_below_its_field_counts() -> None:
    assert structural(Below)["properties"] == {
        "name": {"description": "Name.", "type": "string", "maxLength": 8},
        "size": {
            "description": "Size, of this one.",
            "type": "integer",
            "format": "int64",
            "default": 4,
        },
    }


def test_a_model_becomes_structural() -> None:
    part = {
        "type": "object",
        "properties": {
            "name": {"description": "Name.", "type": "string", "maxLength": 8},
            "size": {"description": "Size.", "type": "integer", "format": "int64", "default": 3},
        },
        "required": ["name"],
    }
    assert structural(Whole) == {
        "description": "Whole.",
        "type": "object",
        "x-kubernetes-validations": [
            {"rule": "self.a", "message": "write a"},
            {"rule": "self == oldSelf", "message": "leave it"},
        ],
        "properties": {
            "kind": {"description": "Kind.", "type": "string", "enum": ["only"]},
            "part": {**part, "description": "Part."},
            "share": {
                "description": "Share.",
                "type": "number",
                "default": 0.5,
                "minimum": 0,
                "exclusiveMinimum": True,
                "maximum": 1,
                "exclusiveMaximum": True,
            },
            "parts": {
                "description": "Parts.",
                "type": "array",
                "maxItems": 2,
                "items": {**part, "description": "A part. In two lines."},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            "tags": {
                "description": "Tags.",
                "type": "array",
                "maxItems": 2,
                "items": {"type": "string", "maxLength": 8},
                "x-kubernetes-list-type": "set",
            },
            "values": {
                "description": "Values.",
                "type": "object",
                "maxProperties": 2,
                "additionalProperties": {"type": "string", "maxLength": 8},
            },
        },
        "required": ["kind"],
    }


class NoDescription(Model):
    """Undocumented."""

    field: Int = 1


class LongText(Model):
    """Unbounded."""

    field: str = Field(description="Text.")


class LongList(Model):
    """Unbounded."""

    field: list[Int] = Field(description="Numbers.")


class LongMap(Model):
    """Unbounded."""

    field: dict[str, Int] = Field(description="Numbers.")


class Either(Model):
    """Not structural."""

    field: Int | Text = Field(description="Either.")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NoDescription, "NoDescription.field: no description"),
        (LongText, r"LongText.field: needs a maximum \(maxLength"),
        (LongList, r"LongList.field: needs a maximum \(maxItems"),
        (LongMap, r"LongMap.field: needs a maximum \(maxProperties"),
        (Either, "Either.field: one type or null"),
    ],
)
def test_what_a_crd_cannot_say_is_an_error(model: type[Model], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        structural(model)


def test_defaults_are_filled_top_down() -> None:
    schema = {"properties": {"a": {"default": {}, "properties": {"b": {"default": 1}}}}}
    assert fill_defaults(schema, {}) == {"a": {"b": 1}}
    assert fill_defaults(schema, {"a": {"b": 2, "c": 3}}) == {"a": {"b": 2, "c": 3}}
    assert fill_defaults(schema, {"a": None}) == {"a": {"b": 1}}
    listed = {"items": schema}
    assert fill_defaults(listed, [{}]) == [{"a": {"b": 1}}]


def test_defaults_are_told() -> None:
    told = describe_defaults(structural(Whole))
    assert told["properties"]["share"]["description"] == "Share. Default: 0.5."
    item = told["properties"]["parts"]["items"]
    assert item["properties"]["size"]["description"] == "Size. Default: 3."


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.kind.plural)
def test_cel_sees_only_bounded_things(resource: Any) -> None:
    """The generator raises for what is unbounded; each kind passes."""
    structural(resource.spec)
    if resource.status is not None:
        structural(resource.status)
