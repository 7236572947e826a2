"""How full a database's volume is, which may be why a load or a trial has failed.

No tool knows it: a server whose volume is full refuses statements or waits, and its client ends
with a code or when its time is over.
"""

import asyncio

from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Reads
from encbench.reconcile.pods import PodFacts
from encbench.wire.agent import VolumeRoom

PART = 0.02
"""Of a volume; with less than that free, or less than LEAST, it is called nearly full."""
LEAST = 64 * 2**20
"""Bytes."""
SECONDS = 5.0
"""For the agent's answer: a pass waits for it."""


async def look(
    read: Reads, namespace: str, testbed: str, database: PodFacts, known: str = ""
) -> str:
    """The sentence about a volume that is nearly full; empty if none is.

    Where no agent says its room, the sentence that is `known` of it.
    """
    try:
        async with asyncio.timeout(SECONDS):
            where, access = await agents.agent(read.cluster, namespace, testbed, database)
            room = (await read.agent.room(where, access))["room"]
    except (Unavailable, Rejected, TimeoutError):
        return known
    return nearly_full(room, database.name)


def nearly_full(room: VolumeRoom | None, pod: str) -> str:
    """What is left of the volume of that pod, as a sentence; empty where that is enough."""
    if room is None:
        return ""
    if room["freeBytes"] < max(PART * room["bytes"], LEAST):
        return f"the volume of {pod} has {room['freeBytes'] / 2**20:.0f} MiB left"
    if room["freeFiles"] < PART * room["files"]:
        return f"the volume of {pod} has {room['freeFiles']} inodes left"
    return ""


def after(message: str, fullness: str) -> str:
    """The message, with that sentence if there is one."""
    return f"{message}; {fullness}" if fullness else message
