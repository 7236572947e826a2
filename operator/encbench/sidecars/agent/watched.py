"""The processes that the agent reads: the server's, and those that belong to its mode."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from encbench.core.columns.layout import PROCESS
from encbench.engines.facts import facts
from encbench.sidecars.agent import process
from encbench.sidecars.agent.config import AgentConfig
from encbench.sidecars.agent.process import ProcessReader, Reading


class Watched(NamedTuple):
    """One reader of each, whoever asks: a counter never falls."""

    proc: Path
    server: ProcessReader
    read: Callable[[], Reading | None]
    """The server, together with the file system beneath it where that counts as the database's."""
    proxy: Callable[[], Reading | None] | None
    """The confidential proxy, in an arm that has one."""
    volume: Callable[[], Reading | None] | None
    """The file system beneath the server by itself, in an arm that has one."""


def watched(config: AgentConfig, proc: Path = process.PROC) -> Watched:
    """Those of this configuration, as `proc` lists them."""
    server = ProcessReader(facts(config.engine).process, proc)
    beneath = (
        ProcessReader(config.volume_process, proc, sees_node=True)
        if config.volume_process
        else None
    )
    proxy = ProcessReader(PROCESS, proc) if config.columns else None

    def read() -> Reading | None:
        reading = server.read()
        return process.together(reading, beneath.read()) if beneath else reading

    beside, below = (reader.read if reader else None for reader in (proxy, beneath))
    return Watched(proc, server, read, beside, below)
