"""An in-memory object store for unit tests of everything that takes a `ports.Store`.

It passes the same contract tests as the real adapter against MinIO (tests/contract/store).
Presigned URLs lead nowhere: `upload` plays the client that has one.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, unquote, urlsplit

from encbench.ports import Conflict, NoBucket, NotLeading, Rejected, TooLarge, Unavailable

WRITES = ("put_if_absent", "put", "delete")
IF_ABSENT = {"If-None-Match": "*"}

_LONGEST_KEY = 1024
_LONGEST_URL = 7 * 24 * 3600


@dataclass(frozen=True)
class Call:
    """One request that reached the store. `key` is a prefix for list."""

    verb: str
    key: str


@dataclass
class _Fault:
    error: BaseException
    after: bool
    verb: str | None
    skip: int

    def matches(self, verb: str) -> bool:
        return verb == self.verb if self.verb else verb in WRITES


@dataclass
class FakeStore:
    """A `ports.Store` in memory; what is below the port's methods is for tests."""

    bucket: str = "encbench"
    now: Callable[[], float] = lambda: 0.0
    """Unix time, for the end of presigned URLs."""
    objects: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Content type by key."""
    has_bucket: bool = True
    may_write: Callable[[], bool] = lambda: True
    """As the real one has it: whoever asks leads its shard."""
    away: bool = False
    """While it is set everything is Unavailable, uploads included."""
    calls: list[Call] = field(default_factory=list)
    """Every request in order, failed ones as well."""
    _faults: list[_Fault] = field(default_factory=list)

    # -- ports.Store

    async def ensure_bucket(self) -> None:
        with self._call("ensure_bucket", ""):
            self.has_bucket = True

    async def put_if_absent(self, key: str, content: bytes, content_type: str) -> None:
        with self._call("put_if_absent", key):
            if key in self.objects and self.objects[key] != content:
                raise Conflict(f"{key} exists with other content")
            self._store(key, content, content_type)

    async def put(self, key: str, content: bytes, content_type: str) -> None:
        with self._call("put", key):
            self._store(key, content, content_type)

    async def get(self, key: str, limit: int | None = None) -> bytes | None:
        with self._call("get", key):
            found = self.objects.get(key)
            if found is not None and limit is not None and len(found) > limit:
                raise TooLarge(f"{key} has {len(found):,} bytes, more than {limit:,}")
            return found

    async def list(self, prefix: str) -> list[str]:
        with self._call("list", prefix):
            return sorted(key for key in self.objects if key.startswith(prefix))

    async def delete(self, keys: Sequence[str]) -> None:
        with self._call("delete", ",".join(keys)):
            for key in keys:
                self.objects.pop(key, None)
                self.types.pop(key, None)

    async def presign_put(self, key: str, seconds: int) -> str:
        if not 0 < seconds <= _LONGEST_URL:
            raise ValueError(f"a presigned URL lasts 1 to {_LONGEST_URL} seconds, not {seconds}")
        # Needs no request, and so works while the store is away, as the real one does.
        return f"http://store.invalid/{self.bucket}/{quote(key)}?expires={self.now() + seconds}"

    # -- for tests

    def upload(self, url: str, content: bytes, headers: Mapping[str, str] | None = None) -> int:
        """PUT to a presigned URL as a client does, with the header by default; the HTTP status."""
        if self.away:
            return 503
        parts = urlsplit(url)
        sent = IF_ABSENT if headers is None else headers
        if self.now() > float(parse_qs(parts.query)["expires"][0]):
            return 403
        if sent.get("If-None-Match") != "*":
            return 403
        key = unquote(parts.path).removeprefix(f"/{self.bucket}/")
        if key in self.objects:
            return 412
        self._store(key, content, "application/octet-stream")
        return 200

    def fail_next(
        self, error: BaseException, *, after: bool = False, verb: str | None = None, skip: int = 0
    ) -> None:
        """Let the next write raise `error`, before it happens or `after` it has.

        `verb` narrows down which request; without one it is any write. `skip` lets that many
        matching ones pass first. Several calls queue up.
        """
        self._faults.append(_Fault(error, after, verb, skip))

    # -- inside

    def _store(self, key: str, content: bytes, content_type: str) -> None:
        if len(key.encode()) > _LONGEST_KEY:
            raise Rejected(f"the key is longer than {_LONGEST_KEY} bytes")
        self.objects[key], self.types[key] = content, content_type

    def _call(self, verb: str, key: str) -> AbstractContextManager[object]:
        self.calls.append(Call(verb, key))
        if self.away:
            raise Unavailable("the fake store is away")
        if verb in WRITES and not self.may_write():
            raise NotLeading("this process does not lead its shard at the moment")
        if not self.has_bucket and verb != "ensure_bucket":
            raise NoBucket(f"there is no bucket {self.bucket}")
        for fault in self._faults:
            if fault.matches(verb):
                if fault.skip:
                    fault.skip -= 1
                    break
                self._faults.remove(fault)
                if not fault.after:
                    raise fault.error
                return _RaiseAfter(fault.error)
        return nullcontext()


class _RaiseAfter(AbstractContextManager[None]):
    """Raises its error after the request went through."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            raise self._error
