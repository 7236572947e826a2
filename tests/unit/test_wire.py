"""The wire contracts: cheap to import, and kept by both sides."""

import subprocess
import sys
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import ClientSummary
from encbench.wire import agent, recorder
from encbench.wire.files import FILES, SUMMARY_SCHEMA, of_client
from tests.support import sidecars
from tests.support.answers import whole
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.testbeds import TLS

WHERE, ACCESS = "db:9472", sidecars.access("secret")
MARKER = "encbench-marker-0123456789abcdef"


def test_importing_it_brings_the_standard_library_only() -> None:
    program = (
        "import sys; before = set(sys.modules); "
        "import encbench.wire.agent, encbench.wire.recorder, encbench.wire.files, "
        "encbench.wire.environment; "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) - set(sys.stdlib_module_names) == {"encbench"}


@pytest.mark.parametrize(
    "mode",
    [
        {},
        {"atRest": {"method": "engine"}},
        {"atRest": {"method": "volume", "volume": {"gocryptfs": {}}}},
        {"columns": {"method": "confidential", "ratio": 100}},
        TLS,
    ],
    ids=["plaintext", "tde", "gocryptfs", "columns", "tls"],
)
@pytest.mark.parametrize("full", [False, True])
async def test_the_fake_agent_keeps_the_contract(mode: dict[str, Any], full: bool) -> None:
    server = FakeServer(token=ACCESS.token, in_force=EncryptionModeSpec.model_validate(mode))
    server.room = {"bytes": 1 << 30, "freeBytes": 0, "files": 0, "freeFiles": 0}
    fake = FakeAgent({WHERE: server}, clock=lambda: 100.0)
    whole(agent.ServerAnswer, await fake.server(WHERE, ACCESS))
    whole(agent.RoomAnswer, await fake.room(WHERE, ACCESS))
    whole(agent.SettleAnswer, await fake.settle(WHERE, ACCESS))
    whole(agent.EvidenceAnswer, await fake.evidence(WHERE, ACCESS, MARKER, full=full))
    checks = await fake.checks(
        WHERE, ACCESS, "run", warehouses=1, loaded=True, full=full, seconds=60
    )
    whole(agent.ChecksAnswer, checks)
    whole(agent.RecoveryAnswer, await fake.stopped(WHERE, ACCESS, "run"))
    armed = await fake.stop(WHERE, ACCESS, "run", how="Crash", after=0.0, seconds=60)
    whole(agent.RecoveryAnswer, armed)
    whole(agent.RecoveryAnswer, await fake.disarm(WHERE, ACCESS, "run"))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"dirtyPages": "3"}, "answer.dirtyPages is '3'"),
        ({"more": 1}, "answer has more as well"),
        ({"clock": None}, "answer.clock is None"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_seen(changes: Any, problem: str) -> None:
    said = {"dirtyPages": None, "loading": False, "tookSeconds": 0.1, "clock": 1.0}
    with pytest.raises(AssertionError, match="answer lacks settled"):
        whole(agent.SettleAnswer, said)
    said |= {"settled": True}
    whole(agent.SettleAnswer, said)
    with pytest.raises(AssertionError, match=problem):
        whole(agent.SettleAnswer, said | changes)


def test_the_operator_reads_every_field_of_a_summary() -> None:
    moment = recorder.MomentStamp(unix=1.0, monotonic=2.0)
    summary = recorder.Summary(
        schema=SUMMARY_SCHEMA,
        tool="sysbench",
        exitCode=0,
        began=moment,
        loadBegan=moment,
        ended=moment,
        window=recorder.MeasuredWindow(start=1.0, end=3.0, seconds=2.0),
        cpuSeconds=0.5,
        cpuLimitCores=1.0,
        memoryMaxBytes=1,
        memoryLimitBytes=2,
        throttledSeconds=0.0,
        throttledPeriods=0.0,
        cpuPeriods=20.0,
        clockSkewSeconds=0.0,
        clockOffset={"seconds": 0.5, "roundTrip": 0.01},
        machine=recorder.ClientMachineRows(kernel="6.1.0", cpuModel="Some CPU", aes=True),
        output=recorder.OutputDigest(bytes=1, digest=f"sha256:{'0' * 64}"),
    )
    assert ClientSummary.model_validate(summary).to_dict() == summary


def test_a_replicas_files_lie_in_a_folder_of_their_own() -> None:
    assert [of_client(2, name) for name in FILES] == [
        "client-2/output.log",
        "client-2/series.csv",
        "client-2/summary.json",
    ]
