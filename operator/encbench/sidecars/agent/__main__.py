"""`python -m encbench.sidecars.agent`: put the parts together and serve."""

import asyncio
import functools
import os
import signal
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import web

from encbench.adapters import sql
from encbench.core.columns.layout import PROCESS
from encbench.engines.users import AGENT_USER
from encbench.sidecars import certificate
from encbench.sidecars.agent import process, server
from encbench.sidecars.agent.api import AgentParts, application, public
from encbench.sidecars.agent.checks import CheckRuns
from encbench.sidecars.agent.config import AgentConfig, ColumnsConfig, ConfigError, read_config
from encbench.sidecars.agent.enclave import EnclaveLook
from encbench.sidecars.agent.evidence import EvidenceSource
from encbench.sidecars.agent.metrics import exposition
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.process import ProcessReader
from encbench.sidecars.agent.recovery import RecoveryRuns, System
from encbench.sidecars.agent.slots import SlotRuns
from encbench.sidecars.agent.volume import Ground
from encbench.sidecars.machine import read_machine
from encbench.wire import agent as wire
from encbench.wire.failure import leave

HEALTH_SECONDS = 2.0
"""Shorter than the kubelet's timeout, so that the answer gives the reason."""


def build(
    config: AgentConfig, proc: Path = process.PROC, kill: Callable[[int, int], None] = os.kill
) -> AgentParts:
    """The agent of this configuration.

    `proc` lists the server's processes, and `kill` signals one of them.
    """
    engine = probe(config.engine)
    driver = engine.facts.driver
    open_session = functools.partial(
        sql.connect, driver, config.socket, AGENT_USER, config.password
    )

    def open_bounded(seconds: float) -> sql.Session:
        return open_session(connect_timeout=seconds, statement_timeout=seconds)

    machine = read_machine()
    processes = ProcessReader(engine.facts.process, proc)
    recovery = RecoveryRuns(
        open_bounded, engine, System(processes.everyone, processes.started_at, kill)
    )
    beneath = ProcessReader(config.volume_process, proc) if config.volume_process else None
    proxy = ProcessReader(PROCESS, proc) if config.columns else None

    def read() -> process.Reading | None:
        reading = processes.read()
        return process.together(reading, beneath.read()) if beneath else reading

    ground = Ground(
        lambda: (proc / str(processes.running().process_id) / "mountinfo").read_text("utf-8"),
        config.lower,
    )
    columns = _columns(config, config.columns) if config.columns else None
    proxied = proxy.read if proxy else None
    slots = SlotRuns(read, proxied)
    return AgentParts(
        token=config.token,
        metrics=exposition(read, proxied),
        health=server.Heart(functools.partial(open_bounded, HEALTH_SECONDS)).beats,
        server=lambda: server.describe(open_session, engine, processes.running(), machine),
        evidence=EvidenceSource(
            open_session, engine, config.volume, ground, columns, _enclave(config)
        ).gather,
        settle=functools.partial(
            server.settle,
            functools.partial(open_session, statement_timeout=server.STATEMENT_SECONDS),
            engine,
        ),
        checks=CheckRuns(lambda seconds: open_session(statement_timeout=seconds), driver).ask,
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


def main() -> None:
    """Serve until a signal ends it. A missing setting ends it with a sentence."""
    try:
        config = read_config(os.environ)
    except ConfigError as error:
        leave(str(error))
    try:
        context = certificate.context(config.credentials)
    except OSError as error:
        leave(f"cannot read the certificate in {config.credentials}: {error.strerror}")
    asyncio.run(serve(build(config), config, context))


async def serve(agent: AgentParts, config: AgentConfig, context: ssl.SSLContext) -> None:
    """Serve until a signal: what is open to everyone in the clear, the rest by TLS."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    async with AsyncExitStack() as stack:
        for app, port, how in (
            (public(agent), config.port, None),
            (application(agent), config.control_port, context),
        ):
            runner = web.AppRunner(
                app, access_log=None, shutdown_timeout=1.0, handler_cancellation=True
            )
            stack.push_async_callback(runner.cleanup)
            await runner.setup()
            await web.TCPSite(runner, port=port, ssl_context=how).start()
        await ended.wait()


if __name__ == "__main__":
    main()
