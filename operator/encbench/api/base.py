"""The base of every API model, and the parts that several kinds share.

The models are the single source of the CRDs (`api.crd` generates them), so the description of each
field is the text of `kubectl explain`. It stands beside its field where both fit on one line, else
below as the docstring. Schemas are strict: an unknown field is refused, on the API server by the
structural schema and here by `extra="forbid"`. `kube.parsing` ignores those that a later version's
schema has let in.
"""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise, takewhile
from typing import Annotated, Any, ClassVar, Literal, Self, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from encbench.api.rules import (
    VALIDATIONS,
    Culprits,
    Rule,
    Transition,
    as_cel,
    fits,
    literal,
    matches,
)
from encbench.api.scalars import SUBDOMAIN, Cores, Name, Quantity, Word, parse_quantity

GROUP = "encbench.io"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"


class Model(BaseModel):
    """A part of an object: camelCase outside, snake_case inside, unknown fields refused.

    `rules` constrain the part as a whole and `transitions` constrain a change; both become CEL in
    the CRD. A null counts as an absent field, as it does for the API server.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
    )

    rules: ClassVar[tuple[Rule, ...]] = ()
    transitions: ClassVar[tuple[Transition, ...]] = ()

    def to_dict(self, *only: str) -> dict[str, Any]:
        """The object in Kubernetes' form: camelCase, JSON types, no field without a value.

        With names it has these fields alone.
        """
        names = {*only} or None
        return self.model_dump(mode="json", by_alias=True, exclude_none=True, include=names)

    def broken_transitions(self, old: Self) -> list[str]:
        """Messages of the rules that a change from `old` to this breaks."""
        return [rule.message for rule in self.transitions if not rule.holds(self, old)]

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        optional, maps = _spellings(cls)
        return {
            key: _without_nulls(value) if key in maps else value
            for key, value in data.items()
            if value is not None or key not in optional
        }

    @model_validator(mode="after")
    def _rules_hold(self) -> Self:
        broken = [rule.message for rule in self.rules if not rule.holds(self)]
        if broken:
            raise ValueError("; ".join(broken))
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Add the rules, the descriptions below fields, and a default for parts that need no value.

        The default is empty, because the API server fills it in. A part with rules has a complete
        default, because the rules are checked against it when the CRD is installed.
        """
        reference = handler(core_schema)
        schema = handler.resolve_ref_schema(reference)
        if own := [*map(as_cel, cls.rules), *map(as_cel, cls.transitions)]:
            schema[VALIDATIONS] = [*schema.get(VALIDATIONS, []), *own]
        for name, field in cls.model_fields.items():
            place, part = schema["properties"][field.alias or name], field.default_factory
            if isinstance(part, type) and issubclass(part, Model):
                place["default"] = part().to_dict() if part.rules else {}
            if text := docstrings(cls).get(name):
                place["description"] = text
        return reference


def _without_nulls(values: Any) -> Any:
    """A map without its null entries, which the API server drops; any other value as it is."""
    if not isinstance(values, Mapping):
        return values
    return {key: value for key, value in values.items() if value is not None}


@cache
def docstrings(model: type) -> dict[str, str]:
    """The descriptions below fields of a model or a dataclass, by field, with those of its bases.

    pydantic's `use_attribute_docstrings` would read all source files whenever a program starts.
    """
    found: dict[str, str] = {}
    for part in reversed([*takewhile(lambda it: it not in (Model, object), model.__mro__)]):
        for field, below in pairwise(_class_bodies(part.__module__)[part.__name__]):
            match field, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = text
    return found


@cache
def _class_bodies(module: str) -> dict[str, list[ast.stmt]]:
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


@cache
def _spellings(model: type[Model]) -> tuple[frozenset[str], frozenset[str]]:
    """Names and aliases of the optional fields, and of the maps.

    Cached, because every part of every object asks for them.
    """
    optional, maps = set[str](), set[str]()
    for name, field in model.model_fields.items():
        spellings = {name, field.alias or name}
        if not field.is_required():
            optional |= spellings
        if get_origin(field.annotation) is dict:
            maps |= spellings
    return frozenset(optional), frozenset(maps)


def mismatch(error: ValidationError, *where: str) -> str:
    """The first field that does not fit, below `where`, and why: `spec.seed: Input should be…`."""
    first = error.errors()[0]
    why = first["msg"]
    if first["type"] == "extra_forbidden":
        why = "this version of encbench does not know the field"
    return f"{'.'.join([*where, *map(str, first['loc'])])}: {why}"


def optional(description: str) -> Any:
    """A field that may be absent, with its description."""
    return Field(None, description=description)


FROZEN = Transition(
    cel="self == oldSelf",
    message="the operator wrote this spec and it is frozen: change the campaign's parts and apply "
    "a campaign under another name",
    holds=lambda new, old: bool(new == old),
)
"""The rule of a spec that is immutable after creation."""


def at_least(path: str, minimum: str, rest: str, noun: str = "") -> Rule:
    """A rule that the quantity at `path`, such as `resources.memory`, is at least `minimum`.

    A malformed quantity passes, because its own rule gives a better message. So does an absent one.
    `rest` ends the message, which names the path unless there is a `noun`.
    """
    *parents, field = path.split(".")

    def holds(model: Any) -> bool:
        for parent in parents:
            model = getattr(model, parent)
            if model is None:
                return True
        return parse_quantity(getattr(model, field)) >= parse_quantity(minimum)

    value = f"string(self.{path})"
    depths = range(1, len(parents) + 1)
    absent = "".join(f"!has(self.{'.'.join(parents[:depth])}) || " for depth in depths)
    return Rule(
        cel=f"{absent}!isQuantity({value}) || "
        f"quantity({value}).compareTo(quantity('{minimum}')) >= 0",
        message=f"write {noun or path} of at least {minimum}{rest}",
        holds=holds,
    )


_LABEL_NAME = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL_KEY = f"^({SUBDOMAIN}/)?{_LABEL_NAME}$"
_LABEL_VALUE = f"^({_LABEL_NAME})?$"


# Shorter than the rules of labels, because each adds to what CEL may cost an object.
TaintKey = Annotated[
    str,
    Field(max_length=316),
    matches(
        "^[-._/A-Za-z0-9]+$", "write the key of a taint, such as dedicated or example.com/dedicated"
    ),
]
TaintValue = Annotated[
    str,
    Field(max_length=63),
    matches("^[-._A-Za-z0-9]*$", "write the value of a taint: letters, digits, - _ and ."),
]


class Toleration(Model):
    """A toleration of a pod; the fields are those of core/v1."""

    rules = (
        Rule(
            cel="has(self.key) || (has(self.operator) && self.operator == 'Exists')",
            message="write the key of the taint, or operator: Exists to tolerate every taint",
            holds=lambda it: it.key is not None or it.operator == "Exists",
        ),
        Rule(
            cel="!has(self.value) || !has(self.operator) || self.operator != 'Exists'",
            message="omit value with operator: Exists, or write operator: Equal",
            holds=lambda it: it.value is None or it.operator != "Exists",
        ),
    )

    key: TaintKey | None = optional("Taint key.")
    operator: Literal["Equal", "Exists"] | None = optional("Equal (the default) or Exists.")
    value: TaintValue | None = optional("Taint value.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Taint effect to tolerate; all effects if omitted."""


def _no_labels(labels: Mapping[str, str]) -> list[str]:
    """The keys of a map whose entries are no labels."""
    return [
        key
        for key, value in labels.items()
        if not (fits(_LABEL_KEY, key) and fits(_LABEL_VALUE, value))
    ]


_IS_LABEL = f"(key.matches({literal(_LABEL_KEY)}) && self[key].matches({literal(_LABEL_VALUE)}))"
_NODE_LABELS = Rule(
    cel=f"self.all(key, {_IS_LABEL})",
    message="write valid node labels, such as topology.kubernetes.io/zone: zone-a",
    holds=lambda labels: not _no_labels(labels),
    culprits=Culprits(f"self.filter(key, !{_IS_LABEL})", _no_labels),
)


class Placement(Model):
    """Where pods may run."""

    node_selector: Annotated[
        dict[str, Annotated[str, Field(max_length=63)]], Field(max_length=16), _NODE_LABELS
    ] = Field(default_factory=dict)
    """Labels that the node must have."""
    tolerations: Annotated[list[Toleration], Field(max_length=16)] = Field(default_factory=list)
    """Taints that the pods tolerate."""


class Resources(Model):
    """Requests and limits, which are equal unless pods that take turns share what they request."""

    rules = (at_least("memory", "16Mi", ", such as 512Mi; the suffix m means a thousandth"),)

    cpu: Cores = Field(description="CPU, as request and limit, such as 500m or 4.")
    memory: Quantity = Field(description="Memory, as request and limit, such as 512Mi or 16Gi.")

    @property
    def cores(self) -> float:
        """CPU in cores."""
        return parse_quantity(self.cpu)

    @property
    def memory_bytes(self) -> int:
        """Memory in bytes."""
        return int(parse_quantity(self.memory))


class ObjectRef(Model):
    """A reference to one incarnation of an object in the same namespace."""

    name: Name = Field(description="Name of the object.")
    uid: Word = Field(description="UID of the object.")
