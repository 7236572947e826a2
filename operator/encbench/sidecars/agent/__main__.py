"""`python -m encbench.sidecars.agent`: put the parts together and serve."""

import functools
import os
import signal
from collections.abc import Callable
from pathlib import Path

from encbench.adapters import sql
from encbench.core.columns.layout import PROCESS
from encbench.engines.facts import facts
from encbench.engines.users import AGENT_USER
from encbench.sidecars import certificate
from encbench.sidecars.agent import process, server
from encbench.sidecars.agent.api import AgentApi, AgentParts
from encbench.sidecars.agent.checks import CheckRuns
from encbench.sidecars.agent.config import AgentConfig, ColumnsConfig, ConfigError, read_config
from encbench.sidecars.agent.enclave import EnclaveLook
from encbench.sidecars.agent.evidence import EvidenceSource
from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.process import ProcessReader
from encbench.sidecars.agent.recovery import RecoveryRuns, System
from encbench.sidecars.agent.slots import SlotRuns
from encbench.sidecars.agent.volume import Ground
from encbench.sidecars.machine import read_machine
from encbench.sidecars.serving import listen, serve
from encbench.wire import agent as wire
from encbench.wire.failure import leave

HEALTH_SECONDS = 2.0
"""Shorter than the kubelet's timeout, so that the answer gives the reason."""
KEPT_SECONDS = 20.0
"""For how long the operator's connections stay open, longer than it keeps them itself."""


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
        metrics=functools.partial(metrics, read, proxied),
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
    # The cipher comes first: it imports cryptography, which a login over TCP needs.
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
    """Serve until a signal: what is open to everyone in the clear, the rest by TLS.

    A missing setting ends it with a sentence.
    """
    try:
        config = read_config(os.environ)
    except ConfigError as error:
        leave(str(error))
    try:
        context = certificate.context(config.credentials)
    except OSError as error:
        leave(f"cannot read the certificate in {config.credentials}: {error.strerror}")
    api, ends = AgentApi(build(config)), (signal.SIGTERM, signal.SIGINT)
    # All threads inherit that, so a signal waits for `sigwait`.
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    serve(listen(config.port), api.public)
    serve(listen(config.control_port), api.answer, context, kept=KEPT_SECONDS)
    sql.prepare(facts(config.engine).driver)
    signal.sigwait(ends)


if __name__ == "__main__":
    main()
