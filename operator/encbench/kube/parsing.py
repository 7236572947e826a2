"""Bodies from the API server as our models.

The API server has checked them by its CRDs, which may be those of a later version than this
process: one release upgrades them for all on the cluster. A field that this version does not know
is then ignored, because the API server fills in the later version's defaults everywhere. Only what
is yet to be accepted is read strictly: there a user may have written the field, and without it
something else would be measured.
"""

from typing import Any, TypeVar

from pydantic import ValidationError

from encbench.api.base import Model, mismatch

M = TypeVar("M", bound=Model)


class Malformed(Exception):
    """The object does not fit this version's model. The text names the first mismatch."""


def parse_spec(model: type[M], body: dict[str, Any], *, strict: bool = False) -> M:
    """The spec of any object; Malformed if it does not fit."""
    where = f"{body.get('kind', 'object')} {body['metadata']['name']}: spec"
    return parse(model, body.get("spec") or {}, where, strict=strict)


def parse(model: type[M], value: object, where: str, *, strict: bool = False) -> M:
    """Any part of an object; Malformed, with `where` in front, if it does not fit.

    Unknown fields are ignored unless it is `strict`.
    """
    try:
        return model.model_validate(value, extra="forbid" if strict else "ignore")
    except ValidationError as error:
        raise Malformed(mismatch(error, where)) from error
