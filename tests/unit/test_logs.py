"""How the operator logs: every record of an object says which, also as JSON."""

import json
import logging

import pytest

from encbench.api.kinds import TRIAL
from encbench.logs import JsonFormatter, about


def written(record: logging.LogRecord) -> dict[str, str]:
    """The record as a log collector reads it."""
    found: dict[str, str] = json.loads(JsonFormatter().format(record))
    return found


def test_json_has_the_object_of_a_record_as_fields(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("x").warning("of %s", "it", extra=about(TRIAL, "team-a", "run"))
    entry = written(caplog.records[0])
    assert {key: value for key, value in entry.items() if key != "time"} == {
        "level": "warning",
        "logger": "x",
        "message": "of it",
        "kind": "Trial",
        "namespace": "team-a",
        "name": "run",
    }


def test_json_of_any_other_record_has_no_object(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("x").warning("so")
    assert written(caplog.records[0]).keys() == {"time", "level", "logger", "message"}
