"""What every `ports.Store` does, the fake and the real adapter alike."""

import asyncio

import pytest

from encbench.ports import Conflict, Rejected, TooLarge, Unavailable
from tests.contract.store.harness import Harness

IF_ABSENT = {"If-None-Match": "*"}


async def test_what_is_put_is_read_back(harness: Harness) -> None:
    await harness.store.put("a/b.json", b"{}", "application/json")

    assert await harness.store.get("a/b.json") == b"{}"


async def test_what_was_never_put_is_none(harness: Harness) -> None:
    assert await harness.store.get("a/b.json") is None


async def test_what_is_too_large_is_not_read(harness: Harness) -> None:
    await harness.store.put("key", b"12345", "text/plain")

    assert await harness.store.get("key", 5) == b"12345"
    with pytest.raises(TooLarge, match="key has 5 bytes, more than 4"):
        await harness.store.get("key", 4)
    assert await harness.store.get("none", 4) is None


async def test_a_bucket_is_missed_until_it_is_made(harness: Harness) -> None:
    bare = harness.bare()
    with pytest.raises(Unavailable, match="bucket"):
        await bare.get("key")

    for _ in range(2):
        await bare.ensure_bucket()

    assert await bare.get("key") is None


async def test_put_replaces(harness: Harness) -> None:
    await harness.store.put("key", b"old", "text/plain")
    await harness.store.put("key", b"new", "text/plain")

    assert await harness.store.get("key") == b"new"


async def test_an_empty_object_is_an_object(harness: Harness) -> None:
    await harness.store.put_if_absent("empty", b"", "text/plain")

    assert await harness.store.get("empty") == b""


async def test_the_same_content_may_be_put_again(harness: Harness) -> None:
    await harness.store.put_if_absent("key", b"text", "text/plain")
    await harness.store.put_if_absent("key", b"text", "text/plain")

    assert await harness.store.get("key") == b"text"


async def test_other_content_under_a_taken_key_is_a_conflict(harness: Harness) -> None:
    await harness.store.put_if_absent("key", b"first", "text/plain")

    with pytest.raises(Conflict, match="key exists with other content"):
        await harness.store.put_if_absent("key", b"second", "text/plain")

    assert await harness.store.get("key") == b"first"


async def test_of_several_writers_at_once_one_wins(harness: Harness) -> None:
    contents = [f"writer {n}".encode() for n in range(8)]

    ends = await asyncio.gather(
        *(harness.store.put_if_absent("key", content, "text/plain") for content in contents),
        return_exceptions=True,
    )

    winners = [content for content, end in zip(contents, ends, strict=True) if end is None]
    losers = [end for end in ends if isinstance(end, Conflict)]
    assert (len(winners), len(losers)) == (1, 7)
    assert await harness.store.get("key") == winners[0]


async def test_list_has_the_keys_under_a_prefix_in_order(harness: Harness) -> None:
    for key in ("p/b", "p/a", "p/c/d", "p2/a", "q"):
        await harness.store.put(key, b"", "text/plain")

    assert await harness.store.list("p/") == ["p/a", "p/b", "p/c/d"]
    assert await harness.store.list("p") == ["p/a", "p/b", "p/c/d", "p2/a"]
    assert await harness.store.list("none/") == []


@pytest.mark.parametrize("key", ["a b", "a+b", "a=b&c", "a%20b", "ä/ö", "a:b@c"])
async def test_keys_are_taken_literally(harness: Harness, key: str) -> None:
    await harness.store.put_if_absent(key, b"text", "text/plain")

    assert await harness.store.list("") == [key]
    assert await harness.store.get(key) == b"text"
    await harness.store.delete([key])
    assert await harness.store.list("") == []


async def test_delete_passes_over_what_does_not_exist(harness: Harness) -> None:
    await harness.store.put("a", b"", "text/plain")
    await harness.store.put("b", b"", "text/plain")

    await harness.store.delete(["a", "none"])
    await harness.store.delete([])

    assert await harness.store.list("") == ["b"]


async def test_a_presigned_url_takes_one_put(harness: Harness) -> None:
    url = await harness.store.presign_put("trials/1/output log", 60)

    assert await asyncio.to_thread(harness.upload, url, b"text", IF_ABSENT) == 200
    assert await asyncio.to_thread(harness.upload, url, b"other", IF_ABSENT) == 412
    assert await harness.store.get("trials/1/output log") == b"text"


async def test_a_presigned_url_cannot_be_used_without_the_header(harness: Harness) -> None:
    url = await harness.store.presign_put("key", 60)

    status = await asyncio.to_thread(harness.upload, url, b"text", {})

    assert 400 <= status < 500
    assert await harness.store.get("key") is None


@pytest.mark.parametrize("seconds", [0, -1, 604_801])
async def test_a_presigned_url_lasts_seven_days_at_most(harness: Harness, seconds: int) -> None:
    with pytest.raises(ValueError, match="lasts 1 to 604800"):
        await harness.store.presign_put("key", seconds)


async def test_a_key_that_is_too_long_is_rejected(harness: Harness) -> None:
    with pytest.raises(Rejected):
        await harness.store.put("k" * 1025, b"", "text/plain")


async def test_a_store_that_does_not_answer_is_unavailable(harness: Harness) -> None:
    away = harness.away()

    for request in (
        away.put_if_absent("key", b"", "text/plain"),
        away.put("key", b"", "text/plain"),
        away.get("key"),
        away.list(""),
        away.delete(["key"]),
    ):
        with pytest.raises(Unavailable):
            await request
