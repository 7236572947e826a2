"""Artefacts: how a record becomes an object of the bucket, and how to read it again.

Every record names its schema with a version. Reading is strict: an unknown field or another version
is an error that names the object, never a silent guess, because a figure that is half understood
is a wrong figure. A field added later is optional and keeps the version; a field whose meaning
changes raises the version.
"""

import hashlib
import io
import json
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import Field, ValidationError

from encbench.api.base import Model, mismatch
from encbench.wire.foreign import parsed

Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
"""SHA-256 of an object's content, as `digest_of` writes it."""


class RecordError(Exception):
    """An object of the bucket is not the record that it should be. The text names it and why."""


class Record(Model):
    """A record with a schema of its own: subclasses narrow `schema_` to one literal."""

    in_lines: ClassVar[bool] = False
    """Whether each list of numbers, such as a sample, is on one line. Of records that are encoded
    again, as an index is for its digest, what is stored would no longer have theirs."""

    schema_: str = Field(alias="schema")


R = TypeVar("R", bound=Record)


def digest_of(content: bytes) -> str:
    """`sha256:<hex>` of an object's content."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def encode(record: Record) -> bytes:
    """The record as UTF-8 JSON, fields in their declared order, those without a value left out.

    The same record gives the same bytes, so storing it twice is harmless.
    """
    content = io.BytesIO()
    # Written as it is made: a report of thousands of trials has millions of tokens.
    text = io.TextIOWrapper(content, encoding="utf-8", newline="\n")
    fields = dict(_fields(record))
    if record.in_lines:
        text.writelines(_lines(fields))
    else:
        json.dump(fields, text, ensure_ascii=False, indent=1, default=Model.to_dict)
    text.write("\n")
    text.flush()
    return content.getvalue()


def _lines(value: Any, margin: str = "\n") -> Iterator[str]:
    """As `json.dump` writes it, but with each list of numbers on one line."""
    if isinstance(value, Model):
        value = value.to_dict()
    if isinstance(value, dict) and value:
        before = "{"
        for name, one in value.items():
            yield f"{before}{margin} {json.dumps(name, ensure_ascii=False)}: "
            yield from _lines(one, f"{margin} ")
            before = ","
        yield f"{margin}}}"
    elif isinstance(value, list | tuple) and not all(type(one) in (int, float) for one in value):
        before = "["
        for one in value:
            yield f"{before}{margin} "
            yield from _lines(one, f"{margin} ")
            before = ","
        yield f"{margin}]"
    else:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _fields(record: Record) -> Iterator[tuple[str, Any]]:
    """In Kubernetes' form but for the models of a tuple, which `encode` turns into it one by one.

    All trials of a long campaign at once would take several times the memory of their text.
    """
    for name, field in type(record).model_fields.items():
        value = getattr(record, name)
        if isinstance(value, tuple) and value and isinstance(value[0], Model):
            yield field.alias or name, value
        else:
            yield from record.to_dict(name).items()


def check(content: bytes, key: str, digest: str) -> bytes:
    """The content if it has that digest, else RecordError; `key` is for the error's text."""
    found = digest_of(content)
    if found != digest:
        raise RecordError(f"{key} is not what was archived: digest {found}, expected {digest}")
    return content


def decode(kind: type[R], content: bytes, key: str) -> R:
    """The record in `content`. `key` is for the error's text.

    RecordError when it is not JSON, has another schema, or does not fit its schema.
    """
    try:
        body = parsed(content)
    except ValueError as error:
        raise RecordError(f"{key} is not JSON: {error}") from error
    want = kind.model_fields["schema_"].default
    found = body.get("schema") if isinstance(body, dict) else None
    if found != want:
        raise RecordError(f"{key} has schema {found!r}; this version of encbench reads {want!r}")
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise RecordError(f"{key} is not a valid {want} record: {mismatch(error)}") from error
