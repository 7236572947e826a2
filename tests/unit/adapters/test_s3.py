"""What is kept of a store's clients."""

import gc
import weakref
from pathlib import Path
from typing import Any

from encbench.adapters.s3 import S3Connection, S3Limits


def rotate(folder: Path, number: int) -> None:
    for name in ("access-key", "secret-key"):
        (folder / name).write_text(f"{name}-{number}")


async def test_of_rotated_credentials_only_the_last_ones_client_is_kept(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    limits = S3Limits()
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, limits)
    inner, outer = "http://store.invalid", "https://store.example.com"

    async def client(endpoint: str) -> Any:
        found: list[Any] = []
        await connection.sign(found.append, endpoint)
        return found.pop()

    first = await client(inner)
    assert await client(inner) is first
    assert await client(outer) is not first
    gone = weakref.ref(first)
    rotate(tmp_path, 2)
    second = await client(inner)
    assert second is not first
    assert await client(inner) is second
    del first
    gc.collect()
    assert gone() is None
    assert len(connection._clients) == 2
