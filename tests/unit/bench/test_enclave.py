"""What a launch of the enclave's benchmark is: one observation, of processes of its own."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.bench import enclave
from tests.bench.enclave import STATEMENTS, Bench, launch

SAID = "client: seal a text=0.4000\nclient: seal a text=0.9000\nclient: open a text=0.5000\n"


class Fake(Bench):
    """Sessions that count themselves."""

    opened: int = 0

    @contextmanager
    def session(self, database: str) -> Iterator[Any]:
        assert database == "encrypted"
        self.opened += 1
        yield SimpleNamespace(rows=lambda _: [("middle",)], cpu_us=lambda _: 1000.0)


def test_each_launch_is_one_observation_of_new_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def run(command: list[str], **_: Any) -> Any:
        started.append(command)
        return SimpleNamespace(stdout=SAID)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(enclave, "_points", lambda bench, drawn: None)
    bench = Fake(SimpleNamespace(), tmp_path)  # type: ignore[arg-type]

    for _ in range(3):
        launch(bench, random.Random(1))

    assert bench.opened == len(started) == 3
    figures = bench.seen.figures
    assert {asked.name for asked in STATEMENTS} <= set(figures)
    assert {len(seen) for seen in figures.values()} == {3}
    assert figures["client, seal a text"] == pytest.approx([0.6] * 3)
