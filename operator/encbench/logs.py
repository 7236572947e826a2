"""How the operator logs: text for people, JSON for log collectors."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from encbench.api.kinds import Kind


def about(kind: Kind, namespace: str, name: str) -> Mapping[str, Mapping[str, str]]:
    """The `extra` of a record about an object, whose text names it as well."""
    # A record has a `name` already, which is its logger's.
    return {"subject": {"kind": kind.kind, "namespace": namespace, "name": name}}


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
