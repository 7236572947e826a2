"""Bodies from the API server as our models."""

from typing import Any, TypeVar

from pydantic import ValidationError

from encbench.api.base import Model

M = TypeVar("M", bound=Model)


class Malformed(Exception):
    """The object does not fit this version's model. The text names the first mismatch."""


def parse_spec(model: type[M], body: dict[str, Any]) -> M:
    """The spec of any object; Malformed if it does not fit."""
    where = f"{body.get('kind', 'object')} {body['metadata']['name']}: spec"
    return parse(model, body.get("spec") or {}, where)


def parse(model: type[M], value: object, where: str) -> M:
    """Any part of an object; Malformed, with `where` in front, if it does not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join([where, *(str(part) for part in first["loc"])])
        raise Malformed(f"{place}: {first['msg']}") from error
