"""`python -m encbench.sidecars.agent`: put the parts together and serve."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from encbench.adapters import sql
from encbench.engines.marker import is_marker
from encbench.sidecars.agent import evidence, process, server, settle, volume
from encbench.sidecars.agent.api import Agent, NotRunning, application
from encbench.sidecars.agent.checks import Checks
from encbench.sidecars.agent.config import Config, ConfigError, read_config
from encbench.sidecars.agent.machine import read_machine
from encbench.sidecars.agent.metrics import exposition
from encbench.sidecars.agent.probe import probe

HEALTH_SECONDS = 2.0
"""Shorter than the probe's own timeout, so that its answer says why."""


def build(config: Config, proc: Path = process.PROC) -> Agent:
    """The agent of this configuration. `proc` is where it looks for the server's processes."""
    engine = probe(config.engine)
    connect = sql.connector(engine.driver)
    open_session = functools.partial(connect, config.socket, engine.user, config.password)
    heart = server.Heart(
        functools.partial(
            open_session, connect_timeout=HEALTH_SECONDS, statement_timeout=HEALTH_SECONDS
        )
    )
    machine = read_machine()
    read = process.Reader(engine.process_name, proc).read
    beneath = config.volume_process and process.Reader(config.volume_process, proc).read
    ground = volume.Ground(config.volume, lambda: _server_mounts(read, proc), lower=config.lower)

    def describe() -> dict[str, Any]:
        reading = read()
        if reading is None:
            raise NotRunning(f"no process {engine.process_name} is running")
        return server.describe(open_session, engine, reading, machine)

    return Agent(
        token=config.token,
        metrics=exposition(process.together(read, beneath) if beneath else read),
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
        ),
        settle=lambda cancelled: settle.settle(
            functools.partial(open_session, statement_timeout=settle.STATEMENT_SECONDS),
            engine,
            cancelled,
        ),
        checks=Checks(lambda seconds: open_session(statement_timeout=seconds), engine.driver).ask,
    )


def _server_mounts(read: Callable[[], process.Reading | None], proc: Path) -> str:
    """The server's own mounts. FileNotFoundError while it does not run."""
    reading = read()
    if reading is None:
        raise FileNotFoundError("no server is running")
    return (proc / str(reading.process_id) / "mountinfo").read_text(encoding="utf-8")


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
