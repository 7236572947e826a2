"""An in-memory `ports.Agent` for unit tests of everything that asks an agent.

It passes the same contract tests as the real adapter with a real agent beside a real MariaDB in
plaintext and with TDE (tests/contract/database). A server in a mode answers with evidence of that
mode; `in_force` may differ from what a testbed wants, which is what a proof must notice.

The contract does not cover evidence of TLS, columns or a volume, whose form alone
tests/unit/test_wire.py checks; rounds of `settle`; the course of a stop once its time has come; and
checks that run out of time.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec, InTransit
from encbench.core.columns import selection
from encbench.core.tls import suite
from encbench.engines.innodb import marker
from encbench.engines.layout import LOWER, VOLUME
from encbench.engines.mariadb import judge
from encbench.engines.mariadb.settings import DEFAULT_ALGORITHM
from encbench.engines.marker import is_marker, table_name
from encbench.ports import Access, Rejected, Unavailable
from encbench.proofs.volume import FORMATS, process_name
from encbench.sidecars.agent.recovery import READY_BEFORE
from encbench.sidecars.agent.slots import KEPT, KEPT_SLOTS
from encbench.tools.tpcc.consistency import Query, conditions, of_load
from encbench.wire import agent as wire
from encbench.wire.slices import SAME_START, SlotReading, SlotRow, SlotsAnswer, SlotsOrder


@dataclass
class FakeStop:
    """An intended stop of one server: when it was asked for, and how it goes."""

    run: str
    how: wire.StopWay
    due: float
    seconds: float
    before: wire.ProcessStart
    after: wire.ProcessStart | None = None
    """Once it is back."""
    late: float = 0.0
    disarmed: bool = False


@dataclass
class FakeSlots:
    """Readings that one server was asked to make. Seconds by its agent's clock."""

    order: SlotsOrder
    asked: float
    """What lies before is read at once."""
    replaced: float = math.inf
    """When another order came, which ended this one unless it was done."""


@dataclass
class FakeChecks:
    """A run of the checks of one server's dataset."""

    run: str
    began: float
    queries: tuple[Query, ...]
    answer: wire.ChecksAnswer | None = None
    """Once it has ended: whatever becomes of the server, it stays."""


@dataclass
class FakeServer:
    """One agent with its server; every field may be changed at any time."""

    token: str
    in_force: EncryptionModeSpec = field(default_factory=EncryptionModeSpec)
    version: str = "10.11.19-MariaDB"
    started_at: float = 1_700_000_000.0
    process_id: int = 17
    settings: dict[str, str] = field(default_factory=dict)
    away: bool = False
    """The agent cannot be reached."""
    starting: bool = False
    """The agent is there and its server does not answer queries."""
    unwritten: int = 0
    """Rounds of `settle` that it takes until everything is written."""
    reading_back: int = 0
    """Rounds of `settle` that it takes until its pool is filled again."""
    sessions: int = 0
    """Those of clients that are gone. Each round of `settle` ends one, which is there until the
    next."""
    room: wire.VolumeRoom | None = None
    """How full its volume is; an agent of an earlier version does not say it."""
    volume: wire.VolumeGround | None = None
    """What the evidence says of the volume, where it is not what the mode asks for."""
    answers: Callable[[bool], Any] | None = None
    """Evidence of a server of another engine than MariaDB; takes `full`."""
    tables: int = 1
    """Of sysbench, which a proxy shows of a mode with columns."""
    check_seconds: float = 0.0
    """How long checks of the dataset take."""
    dirty_bytes: int | None = None
    """What it has changed and not written; None if it does not count it."""
    asked: wire.SettleRequest | None = None
    """What the last round of `settle` was for; None once its agent is another process."""
    waited: int | None = None
    """What the first round of that found."""
    broken: tuple[str, ...] = ()
    """Names of the queries of `tools.tpcc.consistency` that give a row."""
    check_error: str | None = None
    """Why the last of them cannot be run."""
    stop: FakeStop | None = None
    """The last one that was armed."""
    old: bool = False
    """The agent is of a version that cannot be disarmed, nor asked for its room alone."""
    slots: dict[str, FakeSlots] = field(default_factory=dict)
    """The readings of blocks that it was last asked to make, by name."""
    clock_offset: float = 0.0
    """Its clock minus everybody else's, as its slots have it."""
    stop_seconds: float = 0.1
    restart_seconds: float = 1.5
    recovery_seconds: float = 2.0
    """What the next stop takes; the last for its way back."""
    redo_bytes: int | None = 4 << 20
    lost: bool = False
    """It does not come back from a stop."""
    checks: FakeChecks | None = None
    """The last that were asked for: an agent keeps no others."""

    def restart(self, seconds: float = 60.0) -> None:
        """As if the server had ended and started again that much later."""
        self.started_at += seconds
        self.process_id += 1


@dataclass
class FakeAgent:
    """A `ports.Agent`; `servers` by address and `calls` are for tests."""

    servers: dict[str, FakeServer] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Each call that came, as method and address."""
    markers: list[str] = field(default_factory=list)
    searches: list[float | None] = field(default_factory=list)
    """Seconds that each had."""
    begun: list[tuple[str, bool]] = field(default_factory=list)
    """Checks that were begun, by name, and whether of a fresh dataset."""
    in_full: list[str] = field(default_factory=list)
    """Those of them that asked the slow conditions too."""
    clock: Callable[[], float] = time.time
    armed: Callable[[str, FakeStop], None] = lambda *_: None
    """Told of each stop that is armed, with the server's address."""

    async def server(self, address: str, access: Access) -> wire.ServerAnswer:
        """See the port."""
        server = self._find("server", address, access)
        said: wire.ServerAnswer = {
            "version": server.version,
            "startedAt": server.started_at,
            "processId": server.process_id,
            "settings": {**_variables(server.in_force), **server.settings},
            "kernel": "6.1.0",
            "cpuModel": "Fake CPU",
            "cpuFlags": ["aes", "avx2"],
            "hostname": "testbed-0",
            "clock": self.clock(),
        }
        return said if server.room is None else {**said, "room": server.room}

    async def room(self, address: str, access: Access) -> wire.RoomAnswer:
        """See the port."""
        server = self._find("room", address, access, needs_server=False)
        if server.old:
            raise Rejected(f"the agent at {address} refused: there is no {wire.ROOM} on this port")
        return {"room": server.room, "clock": self.clock()}

    async def settle(
        self, address: str, access: Access, asked: wire.SettleRequest | None = None
    ) -> wire.SettleAnswer:
        """See the port."""
        server = self._find("settle", address, access)
        if asked is None or asked != server.asked:
            begun = None if asked is None else {**asked, "ended": False}
            is_known = asked is None or not asked["ended"] or server.asked == begun
            server.waited = server.dirty_bytes if is_known else None
            server.asked = asked
        sessions, server.sessions = server.sessions, max(0, server.sessions - 1)
        settled = server.unwritten == 0 and not sessions
        server.unwritten = max(0, server.unwritten - 1)
        loading, server.reading_back = server.reading_back > 0, max(0, server.reading_back - 1)
        if settled and not loading and server.dirty_bytes is not None:
            server.dirty_bytes = 0
        return {
            "settled": settled and not loading,
            "dirtyPages": 0 if settled else 64 * (server.unwritten + 1),
            "dirtyBytes": server.waited,
            "loading": loading,
            "sessions": sessions,
            "tookSeconds": 0.1,
            "clock": self.clock(),
        }

    async def evidence(
        self, address: str, access: Access, marker: str, *, full: bool, seconds: float | None = None
    ) -> wire.EvidenceAnswer:
        """See the port."""
        server = self._find("evidence", address, access, needs_server=False)
        if not is_marker(marker):
            raise Rejected(f"the agent at {address} refused: marker must be 16 to 128 letters")
        self._answering(server, address)
        self.markers.append(marker)
        self.searches.append(seconds)
        if server.answers is not None:
            told: wire.EvidenceAnswer = server.answers(full)
            return told
        made = _evidence(server.in_force, marker, full, self.clock())
        proxied = _columns(server.in_force, server.tables)
        return {**made, **proxied, "volume": server.volume or made["volume"]}

    async def checks(
        self,
        address: str,
        access: Access,
        run: str,
        *,
        warehouses: int,
        loaded: bool,
        full: bool,
        seconds: float,
    ) -> wire.ChecksAnswer:
        """See the port."""
        server = self._find("checks", address, access, needs_server=False)
        if not run or warehouses < 1 or seconds <= 0:
            raise Rejected(f"the agent at {address} refused: run must be a name of 1 to 128")
        last = server.checks
        if last is None or last.run != run:
            if last is not None and self._checks(server, last)["state"] == "running":
                raise Unavailable(
                    f"the agent at {address}: the checks of {last.run} have not ended"
                )
            fresh = of_load("mysql", warehouses) if loaded else ()
            queries = (*fresh, *conditions("", full=full))
            last = server.checks = FakeChecks(run, self.clock(), queries)
            self.begun.append((run, loaded))
            self.in_full += [run] if full else []
        return self._checks(server, last)

    async def stop(
        self,
        address: str,
        access: Access,
        run: str,
        *,
        how: wire.StopWay,
        after: float,
        seconds: float,
    ) -> wire.RecoveryAnswer:
        """See the port."""
        server = self._find("stop", address, access, needs_server=False)
        if not run or how not in ("Clean", "Crash") or after < 0 or seconds <= 0:
            raise Rejected(f"the agent at {address} refused: stop must be Clean or Crash")
        if server.stop is not None and server.stop.run != run:
            if not _has_ended(server, self.clock()):
                running = server.stop.run
                raise Unavailable(
                    f"the agent at {address}: the recovery of {running} has not ended"
                )
            server.stop = None
        if server.stop is None:
            before: wire.ProcessStart = {
                "processId": server.process_id,
                "startedAt": server.started_at,
            }
            server.stop = FakeStop(run, how, self.clock() + after, seconds, before)
            self.armed(address, server.stop)
        return _stopped(server, self.clock())

    async def stopped(self, address: str, access: Access, run: str) -> wire.RecoveryAnswer:
        """See the port."""
        server = self._find("stopped", address, access, needs_server=False)
        if server.stop is None or server.stop.run != run:
            return {"run": run, "state": "unknown"}
        return _stopped(server, self.clock())

    async def disarm(self, address: str, access: Access, run: str) -> wire.RecoveryAnswer:
        """See the port."""
        server = self._find("disarm", address, access, needs_server=False)
        if server.old:
            raise Rejected(f"the agent at {address} refused: DELETE is not for /v1/recovery")
        if server.stop is None or server.stop.run != run:
            return {"run": run, "state": "unknown"}
        if self.clock() < server.stop.due:
            server.stop.disarmed = True
        return _stopped(server, self.clock())

    async def begin_slots(self, address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
        """See the port."""
        server = self._find("begin_slots", address, access, needs_server=False)
        if not order["settle"] < order["slice"] <= order["period"]:
            raise Rejected(f"the agent at {address} refused: settle must be less than slice")
        now = self.clock() + server.clock_offset
        known = server.slots.get(order["run"])
        if known is None or abs(known.order["startAt"] - order["startAt"]) > SAME_START:
            server.slots.pop(order["run"], None)
            for earlier in server.slots.values():
                earlier.replaced = min(earlier.replaced, now)
            server.slots[order["run"]] = FakeSlots(order, now)
            while len(server.slots) > 1 and _are_too_many(server.slots):
                del server.slots[next(iter(server.slots))]
        return _slots(server, order["run"], now)

    async def slots(self, address: str, access: Access, run: str) -> SlotsAnswer:
        """See the port."""
        server = self._find("slots", address, access, needs_server=False)
        return _slots(server, run, self.clock() + server.clock_offset)

    def _find(
        self, method: str, address: str, access: Access, *, needs_server: bool = True
    ) -> FakeServer:
        self.calls.append((method, address))
        server = self.servers.get(address)
        if server is None or server.away:
            raise Unavailable(f"the agent at {address} cannot be reached")
        if access.token != server.token:
            raise Rejected(f"the agent at {address} refused: wrong token")
        if needs_server:
            self._answering(server, address)
        return server

    def _checks(self, server: FakeServer, checks: FakeChecks) -> wire.ChecksAnswer:
        """How far they are; each query takes the same time."""
        if checks.answer is not None:
            return checks.answer
        found = [
            wire.CheckRows(
                name=query.name,
                meaning=query.meaning,
                rows=[["1", "7"]] if query.name in server.broken else [],
            )
            for query in checks.queries
        ]
        answer: wire.ChecksAnswer = {
            "run": checks.run,
            "state": "running",
            "checks": found,
            "error": None,
            "tookSeconds": None,
        }
        spent = self.clock() - checks.began
        if spent < server.check_seconds:
            return {**answer, "checks": found[: int(len(found) * spent / server.check_seconds)]}
        if server.starting:
            why = "the database server did not do what was asked"
            answer |= {"state": "failed", "checks": [], "error": why}
        elif server.check_error:
            answer |= {"state": "failed", "checks": found[:-1], "error": server.check_error}
        else:
            answer["state"] = "done"
        checks.answer = {**answer, "tookSeconds": 0.1}
        return checks.answer

    def _answering(self, server: FakeServer, address: str) -> None:
        if server.starting or _is_down(server, self.clock()):
            raise Unavailable(f"the agent at {address}: the server does not answer")


def _are_too_many(runs: dict[str, FakeSlots]) -> bool:
    return len(runs) > KEPT or sum(one.order["slots"] for one in runs.values()) > KEPT_SLOTS


def _slots(server: FakeServer, run: str, now: float) -> SlotsAnswer:
    """Readings of a server that uses half a core whenever it is looked at; `now` is its own."""
    known = server.slots.get(run)
    said = SlotsAnswer(run=run, state="unknown", startAt=None, rows=[], clock=now, error=None)
    if known is None:
        return said
    order = known.order
    said["startAt"], said["state"] = order["startAt"], "running"
    for slot in range(order["slots"]):
        begin = order["startAt"] + order["warmup"] + slot * order["period"]
        end = begin + order["slice"]
        if known.replaced < end:
            said["state"], said["error"] = "failed", "another run has begun"
            return said
        if now < end:
            return said
        begun, counted, ended = (
            SlotReading(
                at=at,
                cpuSeconds=0.5 * (at - order["startAt"]),
                readBytes=0,
                writeBytes=0,
                periods={},
            )
            for edge in (begin, begin + order["settle"], begin + order["slice"])
            for at in (max(edge, known.asked),)
        )
        said["rows"].append(SlotRow(slot=slot, begin=begun, counted=counted, end=ended))
    said["state"] = "done"
    return said


def _has_ended(server: FakeServer, now: float) -> bool:
    """Whether another stop may be armed. A disarmed one first sleeps until its time comes."""
    stop = server.stop
    if stop is not None and stop.disarmed:
        return now >= stop.due - READY_BEFORE
    return _stopped(server, now)["state"] in ("done", "failed")


def _is_down(server: FakeServer, now: float) -> bool:
    """Brings it back when it is time for that."""
    if server.stop is None or server.stop.disarmed or now < server.stop.due:
        return False
    return bool(_stopped(server, now)["state"] != "done")


def _stopped(server: FakeServer, now: float) -> wire.RecoveryAnswer:
    """How far the stop is."""
    stop = server.stop
    assert stop is not None
    said: wire.RecoveryAnswer = {"run": stop.run, "state": "armed", "stop": stop.how, "error": None}
    if stop.disarmed:
        return {**said, "state": "disarmed", "error": None}
    if now < stop.due:
        return said
    said |= {"before": stop.before, "statement": "SELECT 1", "rows": 1}
    said |= {"redoBytes": server.redo_bytes, "state": "stopping"}
    gone = stop.due + server.stop_seconds
    if now < gone:
        return said
    said |= {
        "signal": "SIGKILL" if stop.how == "Crash" else "SIGTERM",
        "stoppedAt": stop.due,
        "late": stop.late,
        "stopSeconds": server.stop_seconds,
        "state": "starting",
    }
    if server.lost and now > gone + stop.seconds:
        why = f"the server did not answer within {stop.seconds:.0f} s: no process appeared"
        return {**said, "state": "failed", "error": why}
    began = gone + server.restart_seconds
    if server.lost or now < began + server.recovery_seconds:
        return said
    if stop.after is None:
        server.started_at, server.process_id = began, server.process_id + 1
        stop.after = {"processId": server.process_id, "startedAt": began}
    return {
        **said,
        "state": "done",
        "after": stop.after,
        "answeredAt": began + server.recovery_seconds,
        "restartSeconds": server.restart_seconds,
        "recoverySeconds": server.recovery_seconds,
        "resolutionSeconds": 0.025,
        "tries": 80,
    }


def _variables(mode: EncryptionModeSpec) -> dict[str, str]:
    switch = "OFF" if mode.tde is None else "ON"
    variables = dict.fromkeys(judge.SWITCHES, switch)
    variables |= {"log_bin": "ON", "innodb_encrypt_tables": "OFF"}
    if mode.tde is not None:
        variables["innodb_encrypt_tables"] = "FORCE"
        algorithm = mode.tde.algorithm or DEFAULT_ALGORITHM
        variables["file_key_management_encryption_algorithm"] = algorithm.lower()
    return variables | _transit_variables(mode.in_transit)


def _transit_variables(in_transit: InTransit | None) -> dict[str, str]:
    if in_transit is None:
        return {
            "have_ssl": "DISABLED",
            "require_secure_transport": "OFF",
            "ssl_cipher": "",
            "tls_version": "TLSv1.1,TLSv1.2,TLSv1.3",
        }
    return {
        "have_ssl": "YES",
        "require_secure_transport": "ON",
        "ssl_cipher": suite(in_transit),
        "tls_version": in_transit.version,
    }


def _volume(mode: EncryptionModeSpec, full: bool) -> wire.VolumeGround:
    """A disk, with the file system of the mode in between."""
    fuse = mode.gocryptfs
    crypt = "CRYPT-LUKS2-0123456789abcdef" if mode.volume and fuse is None else None
    if fuse is None:
        return {
            "device": "8:16",
            "mountPoint": VOLUME,
            "type": "ext4",
            "source": "/dev/sdb",
            "dmCrypt": crypt,
            "lower": None,
        }
    hit = fuse.cipher == "none"
    paths = ["1kTfSJ/9gWc", *(["1kTfSJ/gocryptfs.diriv", "gocryptfs.conf"] if full else [])]
    return {
        "device": "0:57",
        "mountPoint": VOLUME,
        "type": f"fuse.{process_name(fuse)}",
        "source": f"{LOWER}/cipher",
        "dmCrypt": None,
        "lower": {
            "own": paths[0],
            "features": None if hit else ["HKDF", "DirIV", "EMENames", FORMATS[fuse.cipher]],
            "files": [wire.LowerFile(path=paths[0], bytes=4096, found=hit)],
            "searched": len(paths),
            "searchedBytes": 4096 * len(paths),
        },
    }


def _columns(mode: EncryptionModeSpec, tables: int) -> wire.SeenInMode:
    """What the agent sees through the proxy of a mode in force: sysbench's tables."""
    if mode.proxy is None:
        return {}
    chosen = set(selection.for_proxy("sysbench", mode.proxy, tables))
    found: dict[str, wire.TableColumns] = {}
    for name in selection.for_proxy_all("sysbench", tables):
        table, _, column = name.partition(".")
        one = found.setdefault(
            table,
            wire.TableColumns(
                table=table, row=True, digest=None, plain=[], encrypted={}, null=[], wrong={}
            ),
        )
        if name in chosen:
            one["encrypted"].setdefault(mode.proxy.algorithm, []).append(column)
        else:
            one["plain"].append(column)
    tables_seen = list(found.values())
    return {"columns": {"chosen": len(chosen), "all": len(tables_seen), "tables": tables_seen}}


def _evidence(mode: EncryptionModeSpec, text: str, full: bool, now: float) -> wire.EvidenceAnswer:
    table = table_name(text)
    own = marker.table_file(table)
    encrypted = mode.tde is not None
    files = [
        wire.SearchedFileRow(path=f"data/{own}", kind="table", bytes=65536, found=not encrypted)
    ]
    if full:
        files += [
            wire.SearchedFileRow(
                path=f"data/{path}", kind=kind, bytes=4096, found=hit and not encrypted
            )
            for path, kind, hit in (
                ("aria_log.00000001", "aria-log", False),
                ("binlog.000001", "binlog", True),
                ("ib_logfile0", "redo", True),
                ("ibdata1", "system", False),
                ("mysql/global_priv.MAD", "aria", False),
            )
        ]
    names = ["innodb_system", own.removesuffix(".ibd")]
    return {
        "marker": text,
        "full": full,
        "catalogue": {
            "variables": _variables(mode),
            "plugins": {judge.KEY_PLUGIN: "ACTIVE"} if encrypted else {},
            "tablespaces": [
                {"name": name, "encrypted": encrypted, "busy": False} for name in names
            ],
            "otherTables": {},
        },
        "files": files,
        "markerTable": table,
        "markerFile": f"data/{own}",
        "volume": _volume(mode, full),
        "tookSeconds": 0.1,
        "clock": now,
    }
