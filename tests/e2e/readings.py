"""Raw objects of the bucket, read anew: nothing of the operator's code is used here."""

import hashlib
import json
import math
import re
from statistics import mean
from typing import Any

from tests.e2e.bucket import Bucket, bucket
from tests.support.kube import Kube

Records = list[tuple[dict[str, Any], dict[str, bytes]]]
"""Trials' records, each with its raw artefacts by name."""


def records(kube: Kube, report: dict[str, Any]) -> Records:
    """Every trial of a report's index, every digest checked."""
    with bucket(kube) as store:
        index = json.loads(checked(store, report["artefacts"]["index"]))
        return [_trial(store, entry) for entry in index["trials"]]


def checked(store: Bucket, artefact: dict[str, str]) -> bytes:
    """An object, whose digest is as its reference says."""
    content = store.get(artefact["key"])
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == artefact["digest"], artefact["key"]
    return content


def _trial(store: Bucket, entry: dict[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    record = json.loads(checked(store, entry))
    folder = entry["key"].rpartition("/")[0]
    raw = {
        name: checked(store, {"key": f"{folder}/{name}", "digest": digest})
        for name, digest in record["artefacts"].items()
    }
    return record, raw


def cpu(record: dict[str, Any], part: str) -> dict[str, Any] | None:
    """The CPU figure of `part` in a trial's record.

    None where it was withheld because Prometheus came late, or missed some scrapes at an edge, as
    it does on a busy machine. No other reason will do.
    """
    told = record["cpu"]
    shown: dict[str, Any] | None = told.get(part)
    if shown is None:
        why = told["withheld"][part]
        assert "alignment error" in why or why.startswith("Prometheus lacks the "), why
    return shown


def has_caveat(report: dict[str, Any], part: str) -> bool:
    """Whether a report, or an OverheadReport's status, says that CPU of `part` is missing."""
    title = {"database": "Server CPU withheld", "proxy": "Proxy CPU withheld"}[part]
    return title in [caveat["title"] for caveat in report["caveats"]]


def figures(log: str) -> dict[str, float]:
    """What the last summary in sysbench's own output says; an independent reading of it."""
    summary = log[log.rindex("SQL statistics:") :]
    # Not the rates that it prints: its own interval for them ends late on a busy machine.
    warmed, ended = (float(time) for time in re.findall(r"total time:\s+([\d.]+)s", log))
    seconds = ended - warmed

    def number(pattern: str) -> float:
        found = re.search(pattern, summary)
        assert found is not None, pattern
        return float(found[1])

    transactions, queries = number(r"transactions:\s+(\d+)"), number(r"queries:\s+(\d+)")
    return {
        "transactions": transactions,
        "tps": transactions / seconds,
        "qps": queries / seconds,
        "average": number(r"avg:\s+([\d.]+)"),
        "p95": number(r"95th percentile:\s+([\d.]+)"),
    }


def cores(raw: dict[str, bytes]) -> float:
    """Server CPU in cores from the raw samples inside the window."""
    metrics = json.loads(raw["metrics.json"])
    start, end = metrics["window"]["start"], metrics["window"]["end"]
    inside = [(t, v) for t, v in metrics["series"]["database_cpu_seconds"] if start <= t <= end]
    (t1, v1), (t2, v2) = inside[0], inside[-1]
    return float((v2 - v1) / (t2 - t1))


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(mean(math.log(value) for value in values))
