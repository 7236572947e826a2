"""How the operator logs: text for people, JSON for log collectors."""

import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from encbench.api.kinds import Kind

QUIET = 100.0
"""Seconds after a request's last failure when it has succeeded or been given up: its next attempt,
30 s later at most, would have failed by then."""
REMINDED = 600.0
"""Seconds until a namespace's requests that fail for the same cause are logged again."""
_WATCHING = "kopf._cogs.clients.watching"
"""kopf's logger for lists and watches; it logs no bodies."""
_ATTEMPT = re.compile(
    r"Request attempt #\S+ (?:failed; will retry|succeeded): "
    r"[A-Z]+ (?P<path>[^\s?]+)\S*(?: -> (?P<error>\w+))?"
)
_INACTIVE = re.compile(r"Watch-stream for \S+ (?:in '(?P<space>[^']+)'|cluster-wide) is inactive")
_NAMESPACE = re.compile("/namespaces/([^/]+)/")

log = logging.getLogger(__name__)


def named(kind: Kind, namespace: str, name: str) -> str:
    """An object as lines name it: `Trial bench/demo-1`."""
    return f"{kind.kind} {namespace}/{name}"


def about(kind: Kind, namespace: str, name: str) -> Mapping[str, Mapping[str, str]]:
    """The `extra` of a record about an object, whose text names it as well."""
    # A record has a `name` already, which is its logger's.
    return {"subject": {"kind": kind.kind, "namespace": namespace, "name": name}}


class Retries(logging.Filter):
    """Of kopf's lines about lists and watches that fail: one per namespace and cause in a while.

    kopf asks for each kind again every 30 s and logs an error each time, also where a namespace was
    deleted that the values still name. Of the end it says only at debug level which request it was,
    and nothing if a watch began anew in the meantime and succeeded at once.
    """

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._ticks = ticks
        self._said: dict[tuple[str, str], float] = {}
        """When each cause was logged last, by its namespace."""
        self._failing: dict[str, dict[str, float]] = {}
        """When each path failed last that is tried again, by its namespace."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log it; debug lines are never logged."""
        if (silent := _INACTIVE.match(record.getMessage())) is not None:
            # An API server that takes a request and does not answer it is no end of an outage.
            failing = self._failing.get(silent["space"] or "", {})
            failing.update(dict.fromkeys(failing, self._ticks()))
        self._find_quiet()
        found = _ATTEMPT.match(record.getMessage())
        if found is None:
            return record.levelno > logging.DEBUG
        path, error = found["path"], found["error"]
        within = _NAMESPACE.search(path)
        space = within[1] if within else ""
        if error is None:
            self._succeeded(space, path)
            return False
        now, last = self._ticks(), self._said.get((space, error), float("-inf"))
        self._failing.setdefault(space, {})[path] = now
        if now < last + REMINDED:
            return False
        self._said[space, error] = now
        return True

    def _find_quiet(self) -> None:
        now = self._ticks()
        for space, failing in list(self._failing.items()):
            for path in [path for path, last in failing.items() if now - last > QUIET]:
                self._succeeded(space, path)

    def _succeeded(self, space: str, path: str) -> None:
        failing = self._failing.get(space, {})
        failing.pop(path, None)
        if not failing and self._failing.pop(space, None) is not None:
            # The next failure is news, whatever was said of the last one.
            self._said = {key: at for key, at in self._said.items() if key[0] != space}
            log.info("%s is watched again", f"namespace {space}" if space else "the cluster")


class JsonFormatter(logging.Formatter):
    """One JSON object per line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's time, level, logger and text, with its object and traceback if it has one.

        The object's fields are `kind`, `namespace` and `name`.
        """
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "subject", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)


def configure_logging(level: str, style: str) -> None:
    """Log to stderr. kopf logs warnings only, because at debug level it logs whole bodies."""
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if style == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    for noisy in ("kopf", "kubernetes", "aiohttp.access", "botocore", "urllib3"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    watching = logging.getLogger(_WATCHING)
    watching.setLevel(logging.DEBUG)
    watching.addFilter(Retries())
