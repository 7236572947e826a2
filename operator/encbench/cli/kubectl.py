"""What only kubectl can do: build kustomizations and forward ports."""

import asyncio
from asyncio.subprocess import PIPE, Process

from encbench.cli.errors import CommandError


async def start(command: str, *arguments: str) -> Process:
    """The process, with both outputs piped; CommandError if kubectl is not installed."""
    try:
        return await asyncio.create_subprocess_exec(
            "kubectl", command, *arguments, stdout=PIPE, stderr=PIPE
        )
    except FileNotFoundError as error:
        raise CommandError(
            f"kubectl is not on the PATH: install it, because this needs kubectl {command}"
        ) from error
