"""What a fake API server records about requests, and how a test lets one of them fail."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from encbench.api.kinds import Kind

WRITES = ("create", "apply", "apply_status", "patch_metadata", "delete")


@dataclass(frozen=True)
class Call:
    """One request that reached the server."""

    verb: str
    kind: Kind
    namespace: str
    name: str

    @property
    def writes(self) -> bool:
        """Whether it asks for a change."""
        return self.verb in WRITES


@dataclass(frozen=True)
class RecordedEvent:
    """An Event as the operator asked for it."""

    kind: Kind
    namespace: str
    name: str
    reason: str
    note: str
    warning: bool


@dataclass
class Fault:
    """An error that awaits the request it is for; see `FakeCluster.fail_next`."""

    error: BaseException
    after: bool
    verb: str | None
    kind: Kind | None
    skip: int

    def matches(self, call: Call) -> bool:
        """Whether it is for this request, but for those that it lets pass first."""
        verb_fits = call.verb == self.verb if self.verb else call.writes
        return verb_fits and self.kind in (None, call.kind)


class Faults:
    """The faults still to come, in order."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Queue one."""
        self._waiting.append(fault)

    @contextmanager
    def guard(self, call: Call) -> Iterator[None]:
        """Carry out a request, and raise the error that is due before or after it."""
        fault = self._due(call)
        if fault is not None and not fault.after:
            raise fault.error
        yield
        if fault is not None:
            raise fault.error

    def _due(self, call: Call) -> Fault | None:
        for fault in self._waiting:
            if fault.matches(call):
                if fault.skip:
                    fault.skip -= 1
                    return None
                self._waiting.remove(fault)
                return fault
        return None
