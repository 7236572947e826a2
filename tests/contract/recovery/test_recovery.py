"""Real servers, stopped by the real agent under sysbench's real load, and their way back."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from encbench.api.workload import Recovery, WorkloadSpec
from encbench.engines.registry import engine
from encbench.reconcile.trial.recovery import judge
from encbench.tools.sysbench import command
from encbench.tools.sysbench.parser import parse_cut
from encbench.wire.agent import StopWay
from tests.contract.client.sysbench import Bench
from tests.contract.recovery.pod import Agent, Kubelet, agent, log_since, running
from tests.support import debian
from tests.support.mariadb import MariaDB
from tests.support.postgres import Postgres
from tests.support.subset import first_of
from tests.support.testbeds import PLAINTEXT, TDE
from tests.support.workloads import workload_spec

WARMUP, DURATION = 1, 3
SPARE = 1.5
"""Seconds that the client may be late, on a busy machine."""


@dataclass
class Study:
    """One server with a dataset, its agent, and who starts it anew."""

    server: MariaDB | Postgres
    bench: Bench
    agent: Agent
    kubelet: Kubelet

    async def trial(self, run: str, stop: StopWay, *more: str) -> tuple[Any, list[str], int, str]:
        """The agent's account, the new server's log, the client's exit code and output."""
        offset = (self.server.folder / "server.log").stat().st_size
        words = self.bench.words("oltp_write_only", warmup=f"{WARMUP}s", duration=f"{DURATION}s")
        seconds = command.run_seconds(_workload(stop))
        words = [f"--time={seconds}" if w.startswith("--time=") else w for w in words]
        client = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
            [*words, "--threads=4", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            armed = await self.agent.stop(run, stop, WARMUP + DURATION + SPARE)
            assert armed["state"] == "armed"
            output, _ = await asyncio.to_thread(client.communicate, timeout=40)
        finally:
            client.kill()
        while (found := await self.agent.stopped(run))["state"] not in ("done", "failed"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert found["state"] == "done", found
        log = log_since(self.server, offset, found["after"]["processId"])
        return found, log, client.returncode, output


def _workload(stop: str) -> WorkloadSpec:
    load = {"warmup": f"{WARMUP}s", "duration": f"{DURATION}s"}
    spec = workload_spec({"script": "oltp_write_only", "tables": 2, "tableSize": 2000}, load)
    return spec.model_copy(update={"recovery": Recovery.model_validate({"stop": stop})})


@pytest.fixture(params=first_of(["mariadb", "mysql", "postgresql"]))
async def study(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Study]:
    """Each engine, encrypted where it can be."""
    debian.install("sysbench")
    name = request.param
    mode: dict[str, Any] = PLAINTEXT if name == "postgresql" else TDE
    with running(name, mode) as server:
        bench = Bench(server, tmp_path)
        assert bench.load("oltp_write_only") == (0, "")
        async with agent(server) as one:
            with Kubelet(server) as kubelet:
                yield Study(server, bench, one, kubelet)
                assert kubelet.error is None


async def test_a_crash_and_then_a_clean_stop_under_load(study: Study) -> None:
    before = await study.agent.server()
    words = engine(study.server.engine).log_words
    found, log, code, output = await study.trial("first", "Crash", "--rate=150")

    assert found["before"]["processId"] == before["processId"]
    assert found["before"]["startedAt"] == pytest.approx(before["startedAt"], abs=0.02)
    assert found["after"]["processId"] != before["processId"]
    assert found["signal"] == "SIGKILL"
    assert 0.02 < found["recoverySeconds"] < 30
    assert 0.3 < found["restartSeconds"] < 15, "the time until it was started is no part of it"
    assert found["resolutionSeconds"] < 3
    assert found["rows"] == 1
    assert found["redoBytes"] > 100_000, "a load of writes was running"
    record = judge(found, log, words, before["startedAt"])
    assert record.ok, record.message
    assert record.facts is not None
    assert record.facts.lines, "the log says that it recovered"
    now = await study.agent.server()
    assert now["processId"] == found["after"]["processId"]
    assert now["startedAt"] == pytest.approx(found["after"]["startedAt"], abs=0.02)

    assert code not in (0, None), "the client was cut off"
    measured = parse_cut(output, WARMUP, DURATION)
    assert 2 <= measured.seconds <= DURATION
    assert measured.tps > 10
    assert measured.sessions, "its session told what it negotiated"

    again, log, code, _ = await study.trial("second", "Clean")
    assert again["before"] == found["after"], "the crash was the only restart in between"
    assert again["after"]["processId"] != again["before"]["processId"]
    assert again["signal"] == ("SIGINT" if study.server.engine == "postgresql" else "SIGTERM")
    record = judge(again, log, words, found["after"]["startedAt"])
    assert record.ok, record.message
    assert words.recovering(log) == [] or not words.has_begun(log)
    assert code not in (0, None)
    assert study.kubelet.starts == 2

    # The same evidence is refused for the other kind of stop.
    other: Any = {**again, "stop": "Crash"}
    assert judge(other, log, words, None).reason == "NoRecovery"
