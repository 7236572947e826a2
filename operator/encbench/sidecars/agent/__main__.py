"""`python -m encbench.sidecars.agent`: put the parts together and serve."""

import functools
import os
import sys
from pathlib import Path
from typing import Any

from aiohttp import web

from encbench.adapters import sql
from encbench.sidecars.agent import evidence, process, server
from encbench.sidecars.agent.api import Agent, NotRunning, application
from encbench.sidecars.agent.config import Config, ConfigError, read_config
from encbench.sidecars.agent.machine import read_machine
from encbench.sidecars.agent.metrics import exposition
from encbench.sidecars.agent.probe import probe

HEALTH_SECONDS = 2.0
"""Shorter than the probe's own timeout, so that its answer says why."""


def build(config: Config, proc: Path = process.PROC) -> Agent:
    """The agent of this configuration. `proc` is where it looks for the server's processes."""
    engine = probe(config.engine)
    open_session = functools.partial(sql.connect, config.socket, engine.user, config.password)
    heart = server.Heart(
        functools.partial(
            open_session, connect_timeout=HEALTH_SECONDS, statement_timeout=HEALTH_SECONDS
        )
    )
    machine = read_machine()
    read = functools.partial(process.read, engine.process_name, proc)

    def describe() -> dict[str, Any]:
        reading = read()
        if reading is None:
            raise NotRunning(f"no process {engine.process_name} is running")
        return server.describe(open_session, engine, reading, machine)

    return Agent(
        token=config.token,
        metrics=exposition(read),
        health=heart.beats,
        server=describe,
        is_marker=engine.is_marker,
        evidence=lambda marker, full, cancelled: evidence.gather(
            open_session,
            engine,
            config.volume,
            config.data,
            marker,
            full=full,
            cancelled=cancelled,
        ),
    )


def main() -> None:
    """Serve until a signal ends it. A setting that is missing ends it with a sentence."""
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
