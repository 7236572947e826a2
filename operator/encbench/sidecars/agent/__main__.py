"""`python -m encbench.sidecars.agent`: put the parts together and serve."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from encbench.adapters import sql
from encbench.core.columns.layout import PROCESS
from encbench.core.connection import DATABASE
from encbench.engines.marker import is_marker
from encbench.sidecars.agent import evidence, process, server, settle, volume
from encbench.sidecars.agent.api import AgentParts, NotRunning, application
from encbench.sidecars.agent.checks import CheckRuns
from encbench.sidecars.agent.config import AgentConfig, ColumnsConfig, ConfigError, read_config
from encbench.sidecars.agent.machine import read_machine
from encbench.sidecars.agent.metrics import exposition
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.recovery import RecoveryRuns, System
from encbench.sidecars.agent.slots import SlotRuns
from encbench.wire import agent as wire

HEALTH_SECONDS = 2.0
"""Shorter than the kubelet's timeout, so that the answer gives the reason."""


def build(
    config: AgentConfig, proc: Path = process.PROC, kill: Callable[[int, int], None] = os.kill
) -> AgentParts:
    """The agent of this configuration.

    `proc` lists the server's processes, and `kill` signals one of them.
    """
    engine = probe(config.engine)
    open_session = functools.partial(
        sql.connect, engine.driver, config.socket, engine.user, config.password
    )
    heart = server.Heart(
        functools.partial(
            open_session, connect_timeout=HEALTH_SECONDS, statement_timeout=HEALTH_SECONDS
        )
    )
    machine = read_machine()
    processes = process.ProcessReader(engine.process_name, proc)
    read = processes.read
    recovery = RecoveryRuns(
        lambda seconds: open_session(connect_timeout=seconds, statement_timeout=seconds),
        engine,
        System(processes.everyone, processes.started_at, kill),
    )
    beneath = config.volume_process and process.ProcessReader(config.volume_process, proc).read
    ground = volume.Ground(config.volume, lambda: _server_mounts(read, proc), lower=config.lower)

    columns = _columns(config, config.columns) if config.columns else None

    def describe() -> wire.ServerAnswer:
        reading = read()
        if reading is None:
            raise NotRunning(f"no process {engine.process_name} is running")
        return server.describe(open_session, engine, reading, machine)

    whole = process.together(read, beneath) if beneath else read
    proxy = process.ProcessReader(PROCESS, proc).read if config.columns else None
    slots = SlotRuns(whole, proxy)
    return AgentParts(
        token=config.token,
        metrics=exposition(whole, proxy),
        health=heart.beats,
        server=describe,
        is_marker=is_marker,
        evidence=lambda marker, full, cancelled: evidence.gather(
            open_session,
            engine,
            config.volume,
            config.data,
            marker,
            full=full,
            cancelled=cancelled,
            ground=ground,
            columns=functools.partial(columns, full=full) if columns else None,
        ),
        settle=lambda cancelled: settle.settle(
            functools.partial(open_session, statement_timeout=settle.STATEMENT_SECONDS),
            engine,
            cancelled,
        ),
        checks=CheckRuns(
            lambda seconds: open_session(statement_timeout=seconds), engine.driver
        ).ask,
        stop=recovery.arm,
        stopped=recovery.look,
        slots=slots.begin,
        slots_read=slots.look,
    )


def _columns(config: AgentConfig, own: ColumnsConfig) -> Callable[..., wire.ColumnsSeen]:
    """The look at the columns; its libraries are imported only in arms that need it."""
    from encbench.adapters.columncipher import open_envelope  # noqa: PLC0415
    from encbench.adapters.sql import raw  # noqa: PLC0415
    from encbench.sidecars.agent import columns  # noqa: PLC0415

    agent = probe(config.engine).user
    look = columns.ColumnsLook(
        chosen=own.chosen,
        direct=functools.partial(raw.by_socket, config.socket, agent, config.password),
        proxied=functools.partial(raw.by_port, own.port, own.username, own.password),
        opened=functools.partial(open_envelope, key=own.key),
        database=DATABASE,
    )
    return functools.partial(columns.facts, look)


def _server_mounts(read: Callable[[], process.Reading | None], proc: Path) -> str:
    """The server's own mounts. FileNotFoundError while it does not run."""
    reading = read()
    if reading is None:
        raise FileNotFoundError("no server is running")
    return (proc / str(reading.process_id) / "mountinfo").read_text(encoding="utf-8")


def main() -> None:
    """Serve until a signal ends it. A missing setting ends it with a sentence."""
    try:
        config = read_config(os.environ)
    except ConfigError as error:
        sys.exit(f"encbench agent: {error}")
    web.run_app(
        application(build(config)),
        port=config.port,
        access_log=None,
        print=None,
        shutdown_timeout=1.0,
        handler_cancellation=True,
    )


if __name__ == "__main__":
    main()
