"""A campaign with encrypted columns, run to its end with an ear on the wire, and all that is left.

Nothing of the operator's code is used here.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.bucket import Bucket, bucket
from tests.e2e.campaigns import conditions, ended, verified
from tests.e2e.columns import Watch, Wire, leaks, places
from tests.support.install import NAMESPACE, is_own
from tests.support.kube import Kube, wait_for


@dataclass(frozen=True)
class Trial:
    """One archived trial with what lies beside its record."""

    record: dict[str, Any]
    output: str
    summary: dict[str, Any]
    proofs: dict[str, Any]
    metrics: dict[str, Any]

    @property
    def arm(self) -> str:
        name: str = self.record["spec"]["arm"]["name"]
        return name

    @property
    def client_cores(self) -> float:
        cores: float = self.summary["cpuSeconds"] / self.summary["window"]["seconds"]
        return cores

    @property
    def proxy_cores(self) -> float:
        """By the raw samples inside of the window."""
        window, samples = self.record["window"], self.metrics["series"]["proxy_cpu_seconds"]
        inside = [(t, v) for t, v in samples if window["start"] <= t <= window["end"]]
        (first, low), (last, high) = inside[0], inside[-1]
        cores: float = (high - low) / (last - first)
        return cores

    def columns(self, when: str) -> list[dict[str, Any]]:
        """What the agent saw of each table."""
        tables: list[dict[str, Any]] = self.proofs[when]["evidence"]["columns"]["tables"]
        return tables


@dataclass(frozen=True)
class Study:
    """A finished campaign with all that was seen of it."""

    treatments: tuple[str, ...]
    campaign: dict[str, Any]
    rows: dict[str, dict[str, Any]]
    """Of the OverheadReport, by arm."""
    report: dict[str, Any]
    tables: dict[str, str]
    """The studies' CSV files by their name."""
    index: dict[str, Any]
    trials: list[Trial]
    """Those that succeeded."""
    watch: Watch
    wire: Wire | None
    """Nothing where the cluster is somebody else's."""
    leaked: list[str]
    searched: int
    keys: list[str]

    def last(self, arm: str) -> Trial:
        """The trial of an arm that counts."""
        return [trial for trial in self.trials if trial.arm == arm][-1]

    def behind(self, arm: str) -> list[Trial]:
        """The trials that count in an arm's row: the baseline's has those of both its arms."""
        return [self.last(one) for one in (arm, f"{arm}-control") if one in self.rows]

    def heard(self, arm: str, port: int, pattern: bytes) -> int:
        """How often the database of an arm sent that from that port."""
        assert self.wire is not None
        (name,) = [one["name"] for one in self.index["testbeds"] if one["arm"] == arm]
        return sum(self.wire.of(a, port).count(pattern) for a in self.watch.addresses[name])


def conducted(
    kube: Kube,
    name: str,
    treatments: Iterable[str],
    seconds: float,
    look: Callable[[], None] = lambda: None,
) -> Study:
    """The campaign of that name, which was applied, once it has ended; it has that long.

    `look` is called at each turn of the wait.
    """
    watch = Watch(kube, name)
    ear: AbstractContextManager[Wire | None] = Wire() if is_own() else nullcontext()
    with ear as wire:

        def is_over() -> Any:
            look()
            return ended(kube, name)

        over = watch.until(is_over)
        body: dict[str, Any] = wait_for("the end of the campaign", over, seconds)
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None, conditions(body)
    verified(kube, name)
    artefacts = report["status"]["artefacts"]
    keys = sorted(watch.keys)
    with bucket(kube) as store:
        index = json.loads(store.get(artefacts["index"]["key"]))
        prefix = index["storage"]["prefix"]
        leaked, searched = leaks(places(kube, watch, store, prefix), keys)
        return Study(
            treatments=tuple(treatments),
            campaign=body,
            rows={row["arm"]: row for row in report["status"]["rows"]},
            report=json.loads(store.get(artefacts["json"]["key"])),
            tables=_tables(store, prefix),
            index=index,
            trials=_trials(store, index),
            watch=watch,
            wire=wire,
            leaked=leaked,
            searched=searched,
            keys=keys,
        )


def _trials(store: Bucket, index: dict[str, Any]) -> list[Trial]:
    found = []
    for entry in index["trials"]:
        folder = entry["key"].rpartition("/")[0]
        record = json.loads(store.get(entry["key"]))
        if record["outcome"] == "Succeeded":
            found.append(
                Trial(
                    record,
                    store.get(f"{folder}/client-0/output.log").decode(),
                    json.loads(store.get(f"{folder}/client-0/summary.json")),
                    json.loads(store.get(f"{folder}/proofs.json")),
                    json.loads(store.get(f"{folder}/metrics.json")),
                )
            )
    return found


def _tables(store: Bucket, prefix: str) -> dict[str, str]:
    studies = [key for key in store.keys(f"{prefix}/report/") if "/study-" in key]
    return {
        Path(key).name.removeprefix("study-").removesuffix(".csv"): store.get(key).decode()
        for key in studies
    }
