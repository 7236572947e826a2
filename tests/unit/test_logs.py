"""How the operator logs: every record of an object says which, also as JSON."""

import inspect
import json
import logging
from collections.abc import Iterator

import pytest
from kopf._cogs.clients import api, watching

from encbench import logs
from encbench.api.kinds import TRIAL
from encbench.logs import QUIET, REMINDED, JsonFormatter, Retries, about


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


class Kopf:
    """kopf's logger of lists and watches, and a clock in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.logger = watching.logger

    def failed(self, space: str, kind: str, error: str = "APIForbiddenError('no', {})") -> None:
        where = f"https://example.com/apis/encbench.io/v1/namespaces/{space}/{kind}?limit=500"
        self.logger.error(f"Request attempt #3 failed; will retry: GET {where} -> {error}")

    def succeeded(self, space: str, kind: str) -> None:
        where = f"https://example.com/apis/encbench.io/v1/namespaces/{space}/{kind}?watch=true"
        self.logger.debug(f"Request attempt #4 succeeded: GET {where}")


@pytest.fixture
def kopf(caplog: pytest.LogCaptureFixture) -> Iterator[Kopf]:
    """With the filter that the operator gives it."""
    found = Kopf()
    retries = Retries(lambda: found.seconds)
    found.logger.addFilter(retries)
    with caplog.at_level(logging.INFO), caplog.at_level(logging.DEBUG, found.logger.name):
        yield found
    found.logger.removeFilter(retries)


def test_a_namespace_that_is_gone_has_one_line_in_ten_minutes(
    kopf: Kopf, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(round(REMINDED) // 30):
        for kind in ("campaigns", "trials", "testbeds"):
            kopf.failed("gone", kind)
        kopf.seconds += 30
    assert len(caplog.records) == 1
    kopf.failed("gone", "trials", "ClientConnectorError(None, 'odd\\ntext')")
    kopf.failed("other", "trials")
    kopf.failed("gone", "trials")
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 4


def test_the_end_is_logged_once_all_kinds_are_watched_again(
    kopf: Kopf, caplog: pytest.LogCaptureFixture
) -> None:
    for space in ("a", "b"):
        for kind in ("campaigns", "trials"):
            kopf.failed(space, kind, "TimeoutError()")
    caplog.clear()
    kopf.succeeded("a", "campaigns")
    assert not caplog.records
    kopf.succeeded("a", "trials")
    kopf.succeeded("a", "trials")
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("INFO", "namespace a is watched again")


def test_the_next_outage_is_logged_though_it_comes_soon(
    kopf: Kopf, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        kopf.failed("a", "trials")
        kopf.succeeded("a", "trials")
        kopf.seconds += 40
    assert [record.levelname for record in caplog.records] == ["ERROR", "INFO"] * 2


def test_a_path_that_no_longer_fails_does_not_hide_the_end(
    kopf: Kopf, caplog: pytest.LogCaptureFixture
) -> None:
    """A watch that begins anew after its time without a word succeeds at once, without a line."""
    kopf.failed("a", "trials", "TimeoutError()")
    kopf.failed("a", "campaigns", "TimeoutError()")
    caplog.clear()
    kopf.seconds += 30
    kopf.failed("a", "campaigns", "TimeoutError()")
    kopf.succeeded("a", "campaigns")
    kopf.seconds += QUIET - 31
    kopf.logger.debug("Starting the watch-stream")
    assert not caplog.records
    kopf.seconds += 2
    kopf.logger.debug("Starting the watch-stream")
    assert caplog.messages == ["namespace a is watched again"]


def test_other_lines_of_kopf_stay_as_they_are(kopf: Kopf, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        kopf.logger.debug("Starting the watch-stream")
        kopf.logger.warning("Ignoring an unsupported event type")
        kopf.logger.error("Request attempt #9 failed; escalating: GET /x -> TimeoutError()")
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"] * 2


def test_a_watch_without_an_answer_is_no_end(kopf: Kopf, caplog: pytest.LogCaptureFixture) -> None:
    kopf.failed("a", "trials", "TimeoutError()")
    caplog.clear()
    for _ in range(5):
        kopf.seconds += 70
        kopf.logger.debug(
            "Watch-stream for trials.v1.encbench.io in 'a' is inactive, reconnecting."
        )
    assert not caplog.records


def test_kopf_writes_these_lines() -> None:
    silent = inspect.getsource(watching)
    assert "Watch-stream for {resource} {where} is inactive, reconnecting." in silent
    assert "where = f'in {namespace!r}' if namespace is not None else 'cluster-wide'" in silent
    text = inspect.getsource(api.request)
    assert "Request attempt {idx} failed; will retry: {what} -> {e!r}" in text
    assert "Request attempt {idx} succeeded: {what}" in text
    assert 'what = f"{method.upper()} {url}"' in text
    assert watching.logger.name == logs._WATCHING
