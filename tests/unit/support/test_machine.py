"""What the look at the machine counts as a trace, and what comes and goes by itself."""

from pathlib import Path

import pytest

from tests.support import machine


def made(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True)


def routes(line: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.setattr(machine, "_output", lambda *_: [line])
    return machine._routes()


def test_a_route_that_a_router_advertises_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "default via fe80::1 dev eth0 proto ra metric 1024 expires {}sec hoplimit 64 pref medium"
    one, other = (routes(line.format(left), monkeypatch) for left in (1795, -3))
    assert one == other != set()
    assert routes(line.replace("::1", "::2"), monkeypatch) != one


def test_groups_of_other_services_come_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "CGROUPS", tmp_path)
    made(tmp_path, "init.scope", "system.slice/cron.service")
    before = machine._cgroups()
    made(tmp_path, "system.slice/apt-daily.service", "user.slice/user-0.slice", "encbench/daemons")
    (tmp_path / "cgroup.procs").touch()
    new = machine._cgroups() - before
    assert new == {f"{tmp_path}/encbench", f"{tmp_path}/encbench/daemons"}


def test_groups_below_a_controller_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "CGROUPS", tmp_path)
    made(tmp_path, "memory/system.slice", "memory/encbench")
    assert machine._cgroups() == {f"{tmp_path}/memory", f"{tmp_path}/memory/encbench"}


@pytest.mark.parametrize("rotated", ["{}.1", "{}.2.gz", "{}-20261129", "{}-2026112907.xz"])
def test_a_rotated_log_is_the_same_log(
    rotated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "PLACES", (str(tmp_path),))
    monkeypatch.setattr(machine, "LOGS", f"{tmp_path}/")
    (tmp_path / "syslog").touch()
    before = machine._files()
    (tmp_path / "syslog").rename(tmp_path / rotated.format("syslog"))
    assert machine._files() == before
    (tmp_path / "containers").mkdir()
    assert machine._files() - before == {f"{tmp_path}/containers"}


def test_a_folder_that_goes_away_meanwhile_has_no_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "one/inside", "two/inside")
    entries = machine._entries

    def vanishing(place: Path) -> list[Path]:
        if place == tmp_path / "one":
            (place / "inside").rmdir()
            place.rmdir()
        return entries(place)

    monkeypatch.setattr(machine, "_entries", vanishing)
    assert tmp_path / "two/inside" in machine._listed(tmp_path)
    assert tmp_path / "one/inside" not in machine._listed(tmp_path)


def test_a_browsers_reporter_is_no_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, command in ((7, "/usr/lib/chromium/chrome_crashpad_handler"), (8, "/bin/kubelet")):
        made(tmp_path, str(number))
        (tmp_path / str(number) / "status").write_text("Name:\tx\nPPid:\t1\n")
        (tmp_path / str(number) / "cmdline").write_bytes(command.encode() + b"\0--monitor\0")
    monkeypatch.setattr(machine, "PROC", tmp_path)
    assert machine._processes() == {"kubelet"}
