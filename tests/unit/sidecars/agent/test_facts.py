"""Configuration, machine, metrics, facts of the server, the heart."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from encbench.adapters.sql import Row, SqlError
from encbench.sidecars.agent.config import ConfigError, read_config
from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.process import CpuPeriods, Reading
from encbench.sidecars.agent.public import Heart
from encbench.sidecars.agent.server import describe, describe_room, volume_room
from encbench.sidecars.exposition import exposition
from encbench.sidecars.machine import read_machine
from encbench.wire.agent import MachineRows

READING = Reading(
    process_id=7,
    started_at=1_700_000_000.125,
    cpu_seconds=1.5,
    resident_bytes=4096,
    read_bytes=10,
    write_bytes=None,
)
MACHINE = MachineRows(kernel="6.1", cpuModel="CPU", cpuFlags=["aes"], hostname="db-0")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "token").write_text("t0ken\n")
    (tmp_path / "agent-password").write_text("pass")
    return {
        "ENCBENCH_ENGINE": "mariadb",
        "ENCBENCH_VOLUME": "/volume",
        "ENCBENCH_SOCKET": "/volume/mariadb.sock",
        "ENCBENCH_CREDENTIALS": str(tmp_path),
        "ENCBENCH_PORT": "9470",
        "ENCBENCH_CONTROL_PORT": "9472",
    }


def test_the_configuration(environment: dict[str, str]) -> None:
    config = read_config(environment)
    assert (config.token, config.password) == ("t0ken", "pass")
    assert (config.port, config.control_port) == (9470, 9472)
    assert config.volume == Path("/volume")


@pytest.mark.parametrize(("login", "port"), [({}, None), ({"ENCBENCH_LOGIN_PORT": "3306"}, 3306)])
def test_where_clients_log_in_before_they_do_through_the_proxy(
    environment: dict[str, str], login: dict[str, str], port: int | None
) -> None:
    folder = Path(environment["ENCBENCH_CREDENTIALS"])
    for name, text in {"username": "bench", "password": "p", "mek": "0" * 32}.items():
        (folder / name).write_text(text)
    (folder / "columns").write_text("t\nt.c\n")
    own = {
        "ENCBENCH_PROXY_PORT": "3307",
        "ENCBENCH_COLUMNS": str(folder / "columns"),
        "ENCBENCH_MEK_FILE": str(folder / "mek"),
    }
    config = read_config({**environment, **own, **login})
    assert config.columns is not None
    assert (config.columns.port, config.columns.login_port) == (3307, port)


def test_what_is_missing_is_named(environment: dict[str, str]) -> None:
    for name in environment:
        with pytest.raises(ConfigError, match=name):
            read_config({**environment, name: ""})
    (Path(environment["ENCBENCH_CREDENTIALS"]) / "token").write_text("\n")
    with pytest.raises(ConfigError, match="token is empty"):
        read_config(environment)
    (Path(environment["ENCBENCH_CREDENTIALS"]) / "token").unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*token"):
        read_config(environment)


def test_the_machine(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("model name\t: Some CPU\nflags\t\t: fpu aes\n\nmodel name\t: Other\n")
    machine = read_machine(cpuinfo)
    assert machine["cpuModel"] == "Some CPU"
    assert machine["cpuFlags"] == ["fpu", "aes"]
    cpuinfo.write_text("processor\t: 0\nFeatures\t: fp aes\n\n")
    machine = read_machine(cpuinfo)
    assert machine["cpuFlags"] == ["fp", "aes"]
    assert machine["cpuModel"] == os.uname().machine


def test_what_sets_the_clock_frequency_where_the_machine_shows_it(tmp_path: Path) -> None:
    cpuinfo, governor = tmp_path / "cpuinfo", tmp_path / "scaling_governor"
    cpuinfo.write_text("model name\t: Some CPU\n\n")
    assert "cpuGovernor" not in read_machine(cpuinfo, governor)
    governor.write_text("schedutil\n")
    assert read_machine(cpuinfo, governor).get("cpuGovernor") == "schedutil"


def test_a_machine_whose_cpu_has_no_name_but_numbers(tmp_path: Path) -> None:
    """As Linux reports ARM's; two kinds of them differ in the part or the variant."""
    cpuinfo = tmp_path / "cpuinfo"
    numbers = "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
    cpuinfo.write_text(f"processor\t: 0\n{numbers}CPU part\t: 0xd0c\nCPU revision\t: 1\n\n")
    found = read_machine(cpuinfo)["cpuModel"]
    assert found == f"{os.uname().machine}, implementer 0x41, part 0xd0c, variant 0x3"
    cpuinfo.write_text(f"processor\t: 0\n{numbers}CPU part\t: 0xd40\nCPU revision\t: 1\n\n")
    assert read_machine(cpuinfo)["cpuModel"] != found


def test_the_metrics() -> None:
    lines = [line for line in exposition(metrics(lambda: READING)).splitlines() if line[0] != "#"]
    values = dict(line.split(" ") for line in lines)
    assert values.pop("encbench_agent_cpu_seconds_total") is not None
    uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert uptime - 10 < float(values.pop("encbench_agent_uptime_seconds")) <= uptime
    assert {name: float(value) for name, value in values.items()} == {
        "encbench_database_cpu_seconds_total": 1.5,
        "encbench_database_read_bytes_total": 10.0,
        "encbench_database_resident_bytes": 4096.0,
        "encbench_database_start_time_seconds": 1_700_000_000.125,
    }
    assert "encbench_database" not in exposition(metrics(lambda: None))


def test_a_file_system_s_cpu_has_a_series_of_its_own() -> None:
    told = exposition(metrics(lambda: READING, volume=lambda: replace(READING, cpu_seconds=0.5)))
    assert "\nencbench_volume_cpu_seconds_total 0.5\n" in told
    assert "\nencbench_database_cpu_seconds_total 1.5\n" in told
    assert "encbench_volume" not in exposition(metrics(lambda: READING, volume=lambda: None))


def test_what_cpu_limits_held_up_has_series_of_each_container() -> None:
    held_up = replace(READING, periods=CpuPeriods(ran=200, throttled=31))
    told = exposition(metrics(lambda: held_up, lambda: held_up, lambda: READING))
    for part in ("database", "proxy"):
        assert f"\nencbench_{part}_limit_periods_total 200\n" in told
        assert f"\nencbench_{part}_throttled_periods_total 31\n" in told
    assert "encbench_volume_limit_periods" not in told


class Answers:
    """A session that answers, or fails once."""

    def __init__(self, error: bool = False) -> None:
        self.error = error
        self.closed = False

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        if self.error:
            raise SqlError("gone")
        if statement == probe("mariadb").says.VERSION:
            return [("10.11.19-MariaDB",)]
        return [
            ("log_bin", "ON"),
            ("key_buffer_size", "1"),
            ("file_key_management_filekey", "hunter2"),
            ("ssl_key", "/k"),
            ("old_passwords", "OFF"),
            ("wsrep_sst_auth", "a:b"),
            ("init_connect_secret", "x"),
        ]

    def close(self) -> None:
        self.closed = True


def test_the_server_without_its_secrets(tmp_path: Path) -> None:
    session = Answers()
    facts = describe(lambda: session, probe("mariadb"), READING, MACHINE, tmp_path)
    assert facts["version"] == "10.11.19-MariaDB"
    assert facts["startedAt"] == 1_700_000_000.12
    assert facts["settings"] == {"log_bin": "ON", "key_buffer_size": "1"}
    assert facts["cpuFlags"] == ["aes"]
    assert session.closed
    assert facts["room"] is not None
    assert 0 < facts["room"]["freeBytes"] < facts["room"]["bytes"]


def test_a_volume_that_does_not_say_how_full_it_is(tmp_path: Path) -> None:
    facts = describe(Answers, probe("mariadb"), READING, MACHINE, tmp_path / "none")
    assert facts["room"] is None


def test_the_room_alone_takes_no_session(tmp_path: Path) -> None:
    found = describe_room(tmp_path)
    assert found["room"] is not None
    assert 0 < found["room"]["freeBytes"] < found["room"]["bytes"]
    assert describe_room(tmp_path / "none")["room"] is None


def test_the_room_of_a_volume_is_what_a_server_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = SimpleNamespace(
        f_frsize=4096, f_blocks=1000, f_bfree=200, f_bavail=150, f_files=2**64 - 1, f_favail=70
    )
    monkeypatch.setattr(os, "statvfs", lambda _: seen)
    assert volume_room(Path("/volume")) == {
        "bytes": 4096 * 1000,
        "freeBytes": 4096 * 150,
        "files": 2**62,
        "freeFiles": 70,
    }


def test_the_heart_keeps_its_session_until_it_fails() -> None:
    sessions = [Answers(), Answers()]
    opened: list[Answers] = []

    def open_session() -> Answers:
        if not sessions:
            raise SqlError("no more")
        opened.append(sessions.pop(0))
        return opened[-1]

    heart = Heart(open_session)
    assert heart.beats() is None
    assert heart.beats() is None
    assert len(opened) == 1
    opened[0].error = True
    assert heart.beats() == "gone"
    assert heart.beats() is None
    opened[1].error = True
    assert heart.beats() == "gone"
    assert heart.beats() == "no more"
