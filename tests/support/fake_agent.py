"""An in-memory `ports.Database` for unit tests of everything that asks an agent.

It passes the same contract tests as the real adapter with a real agent beside a real MariaDB
(tests/contract/database). A server in a mode answers with evidence of that mode; `in_force` may
differ from what a testbed wants, which is what a proof must notice.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.mariadb import judge, marker
from encbench.ports import Body, Rejected, Unavailable


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

    def restart(self, seconds: float = 60.0) -> None:
        """As if the server had ended and started again that much later."""
        self.started_at += seconds
        self.process_id += 1


@dataclass
class FakeDatabase:
    """A `ports.Database`; `servers` by address and `calls` are for tests."""

    servers: dict[str, FakeServer] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Each call that came, as method and address."""
    markers: list[str] = field(default_factory=list)
    clock: Callable[[], float] = time.time

    async def server(self, address: str, token: str) -> Body:
        """See the port."""
        server = self._find("server", address, token)
        return {
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

    async def evidence(self, address: str, token: str, marker: str, *, full: bool) -> Body:
        """See the port."""
        server = self._find("evidence", address, token, needs_server=False)
        if not _is_marker(marker):
            raise Rejected(f"the agent at {address} refused: marker must be 16 to 128 letters")
        self._answering(server, address)
        self.markers.append(marker)
        return _evidence(server.in_force, marker, full, self.clock())

    def _find(
        self, method: str, address: str, token: str, *, needs_server: bool = True
    ) -> FakeServer:
        self.calls.append((method, address))
        server = self.servers.get(address)
        if server is None or server.away:
            raise Unavailable(f"the agent at {address} cannot be reached")
        if token != server.token:
            raise Rejected(f"the agent at {address} refused: wrong token")
        if needs_server:
            self._answering(server, address)
        return server

    def _answering(self, server: FakeServer, address: str) -> None:
        if server.starting:
            raise Unavailable(f"the agent at {address}: the server does not answer")


def _is_marker(text: str) -> bool:
    return marker.MARKER.fullmatch(text) is not None


def _variables(mode: EncryptionModeSpec) -> dict[str, str]:
    switch = "OFF" if mode.at_rest is None else "ON"
    variables = dict.fromkeys(judge.SWITCHES, switch)
    variables |= {"log_bin": "ON", "innodb_encrypt_tables": "OFF"}
    if mode.at_rest is not None:
        variables["innodb_encrypt_tables"] = "FORCE"
        variables["file_key_management_encryption_algorithm"] = mode.at_rest.algorithm.lower()
    return variables


def _evidence(mode: EncryptionModeSpec, text: str, full: bool, now: float) -> dict[str, Any]:
    table = marker.table_name(text)
    own = marker.table_file(table)
    encrypted = mode.at_rest is not None
    files = [{"path": f"data/{own}", "kind": "table", "bytes": 65536, "found": not encrypted}]
    if full:
        files += [
            {"path": f"data/{path}", "kind": kind, "bytes": 4096, "found": hit and not encrypted}
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
        },
        "files": files,
        "markerTable": table,
        "tookSeconds": 0.1,
        "clock": now,
    }
