"""The agent's parts behind the port of the operator, put together."""

import functools
import os
from collections.abc import Callable

from encbench.adapters import sql
from encbench.engines.users import AGENT_USER
from encbench.sidecars.agent import server
from encbench.sidecars.agent.api import AgentParts
from encbench.sidecars.agent.checks import CheckRuns
from encbench.sidecars.agent.config import AgentConfig, ColumnsConfig
from encbench.sidecars.agent.enclave import EnclaveLook
from encbench.sidecars.agent.evidence import EvidenceSource
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.recovery import RecoveryRuns, System
from encbench.sidecars.agent.slots import SlotRuns
from encbench.sidecars.agent.volume import Ground
from encbench.sidecars.agent.watched import Watched
from encbench.sidecars.machine import read_machine
from encbench.wire import agent as wire


def build(
    config: AgentConfig, seen: Watched, kill: Callable[[int, int], None] = os.kill
) -> AgentParts:
    """The agent of this configuration; `kill` signals one of the server's processes."""
    engine = probe(config.engine)
    driver = engine.facts.driver
    open_session = functools.partial(
        sql.connect, driver, config.socket, AGENT_USER, config.password
    )

    def open_bounded(seconds: float) -> sql.Session:
        return open_session(connect_timeout=seconds, statement_timeout=seconds)

    machine, processes = read_machine(), seen.server
    recovery = RecoveryRuns(
        open_bounded, engine, System(processes.everyone, processes.started_at, kill)
    )
    ground = Ground(
        lambda: (seen.proc / str(processes.running().process_id) / "mountinfo").read_text("utf-8"),
        config.lower,
    )
    columns = _columns(config, config.columns) if config.columns else None
    slots = SlotRuns(seen.read, seen.proxy, seen.volume)
    disk = config.lower or config.volume
    return AgentParts(
        token=config.token,
        server=lambda: server.describe(open_session, engine, processes.running(), machine, disk),
        room=lambda: server.describe_room(disk),
        evidence=EvidenceSource(
            open_session, engine, config.volume, ground, columns, _enclave(config)
        ).gather,
        settle=server.Settling(
            functools.partial(open_session, statement_timeout=server.STATEMENT_SECONDS), engine
        ).go_on,
        checks=CheckRuns(lambda seconds: open_session(statement_timeout=seconds), driver).ask,
        stop=recovery.arm,
        stopped=recovery.look,
        disarm=recovery.disarm,
        slots=slots.begin,
        slots_read=slots.look,
    )


def _columns(config: AgentConfig, own: ColumnsConfig) -> Callable[..., wire.ColumnsSeen]:
    """The look at the columns; its libraries are imported only in arms that need it."""
    from encbench.adapters.columncipher import open_envelope  # noqa: PLC0415
    from encbench.adapters.sql import raw  # noqa: PLC0415
    from encbench.sidecars.agent import columns  # noqa: PLC0415

    return columns.ColumnsLook(
        chosen=own.chosen,
        direct=functools.partial(raw.by_socket, config.socket, AGENT_USER, config.password),
        proxied=functools.partial(
            raw.proxied, own.port, own.username, own.password, login_port=own.login_port
        ),
        opened=functools.partial(open_envelope, mek=own.key),
    ).facts


def _enclave(config: AgentConfig) -> EnclaveLook | None:
    """The look at encrypted column types; its libraries are imported only in arms that need it."""
    if config.enclave_key is None:
        return None
    from encbench.adapters.enclavecipher import seal, unseal  # noqa: PLC0415

    return EnclaveLook(
        seal=functools.partial(seal, key=config.enclave_key),
        opened=functools.partial(unseal, key=config.enclave_key),
        data=config.volume / "data",
    )
