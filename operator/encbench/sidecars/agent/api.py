"""What the agent answers to the operator: authorisation, validation, errors as sentences.

Each request has a thread, so others are answered at once even during a search. Evidence is gathered
for one caller at a time; if the caller disconnects, the search ends.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_type_hints

from encbench.adapters.sql import SqlError
from encbench.engines.marker import is_marker
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.evidence import EvidenceError
from encbench.sidecars.agent.process import NotRunning
from encbench.sidecars.routes import Request, Response, Routes, error, refusal, routed, said
from encbench.wire import agent as wire
from encbench.wire.foreign import parsed
from encbench.wire.slices import SLICES_PATH, SlotsOrder

Asked = TypeVar("Asked")


@dataclass(frozen=True)
class AgentParts:
    """The functions behind the API; they may block."""

    token: str
    server: Callable[[], wire.ServerAnswer]
    """SqlError or NotRunning when there is nothing to describe."""
    room: Callable[[], wire.RoomAnswer]
    evidence: Callable[[wire.EvidenceRequest, Callable[[], bool]], wire.EvidenceAnswer]
    """Takes a function that returns True to cancel as well."""
    settle: Callable[[Callable[[], bool], wire.SettleRequest | None], wire.SettleAnswer]
    """Takes a function that returns True to cancel first."""
    checks: Callable[[wire.ChecksRequest], wire.ChecksAnswer]
    """State of that run of checks, begun if necessary; does not block. Busy while another runs."""
    stop: Callable[[wire.StopRequest], wire.RecoveryAnswer]
    """State of that stop of the server, armed if necessary; does not block. Busy likewise."""
    stopped: Callable[[str], wire.RecoveryAnswer]
    """State of the stop of that name; never arms one."""
    disarm: Callable[[str], wire.RecoveryAnswer]
    """State of the stop of that name, which does not begin any more."""
    slots: Callable[[SlotsOrder], Response]
    """A `SlotsAnswer`: the readings of that name, begun if necessary; does not block."""
    slots_read: Callable[[str], Response]
    """A `SlotsAnswer`: the readings of that name; never begins any."""


class AgentApi:
    """The endpoints of the operator's port."""

    def __init__(self, agent: AgentParts) -> None:
        self._agent = agent
        self._one_at_a_time = threading.Lock()
        self._routes: Routes = {
            ("GET", wire.SERVER): lambda _: said(agent.server()),
            ("GET", wire.ROOM): lambda _: said(agent.room()),
            ("POST", wire.EVIDENCE): self._evidence,
            ("POST", wire.SETTLE): self._settle,
            ("POST", wire.CHECKS): self._checks,
            ("POST", wire.RECOVERY): self._recovery,
            ("GET", wire.RECOVERY): lambda request: said(agent.stopped(request.asked("run"))),
            ("DELETE", wire.RECOVERY): lambda request: said(agent.disarm(request.asked("run"))),
            ("POST", SLICES_PATH): self._slots,
            ("GET", SLICES_PATH): lambda request: agent.slots_read(request.asked("run")),
        }

    def answer(self, request: Request) -> Response:
        """The answer to a request with the token."""
        try:
            return refusal(request, self._agent.token) or routed(self._routes, request)
        except _Refused as reason:
            return error(400, str(reason))
        except (SqlError, NotRunning, Busy) as reason:
            return error(503, str(reason))
        except EvidenceError as reason:
            return error(500, str(reason))

    def _checks(self, request: Request) -> Response:
        asked = _asked(wire.ChecksRequest, request, loaded=False, full=False)
        return said(self._agent.checks(asked))

    def _recovery(self, request: Request) -> Response:
        return said(self._agent.stop(_asked(wire.StopRequest, request)))

    def _slots(self, request: Request) -> Response:
        asked = _asked(SlotsOrder, request)
        if not asked["settle"] < asked["slice"] <= asked["period"]:
            raise _Refused("settle must be less than slice, and slice no more than period")
        return self._agent.slots(asked)

    def _evidence(self, request: Request) -> Response:
        asked = _asked(wire.EvidenceRequest, request, full=False, seconds=_A_DAY)
        return self._alone(request, lambda gone: self._agent.evidence(asked, gone))

    def _settle(self, request: Request) -> Response:
        asked = _asked(wire.SettleRequest, request) if request.body else None
        return self._alone(request, lambda gone: self._agent.settle(gone, asked))

    def _alone(self, request: Request, work: Callable[[Callable[[], bool]], object]) -> Response:
        """Do the work, one at a time: the next caller must not find the marker's table.

        It ends if its caller disconnects, and never begins for one that has gone. Such a one does
        not wait for its turn either, because it would keep its place among the connections.
        """
        is_its_turn = False
        try:
            while not is_its_turn:
                is_its_turn = self._one_at_a_time.acquire(timeout=_LOOK)
                if request.is_gone():
                    raise Busy("the caller has gone")
            return said(work(request.is_gone))
        finally:
            if is_its_turn:
                self._one_at_a_time.release()


class _Refused(Exception):
    """The request is wrong. The text says what to send."""


_LOOK = 0.5
"""Seconds between looks at whether a caller that waits for its turn is still there."""
_A_DAY = 24 * 3600.0
"""Seconds of a search, where an earlier operator does not say them."""
_NUMBER = (int, float)
_FIELDS: dict[str, tuple[tuple[type, ...], Callable[[Any], bool], str]] = {
    "run": ((str,), lambda run: 1 <= len(run) <= 128, "a name of 1 to 128 characters"),
    "warehouses": ((int,), lambda count: count >= 1, "a whole number greater than 0"),
    "loaded": ((bool,), lambda _: True, "true or false"),
    "full": ((bool,), lambda _: True, "true or false"),
    "ended": ((bool,), lambda _: True, "true or false"),
    "seconds": (_NUMBER, lambda seconds: seconds > 0, "a number greater than 0"),
    "afterSeconds": (_NUMBER, lambda seconds: seconds >= 0, "a number of 0 or more"),
    "startAt": (_NUMBER, lambda moment: moment >= 0, "Unix time in seconds"),
    "slots": ((int,), lambda count: 1 <= count <= 20_000, "a whole number from 1 to 20000"),
    **dict.fromkeys(
        ("warmup", "period", "slice", "settle"),
        (_NUMBER, lambda seconds: seconds >= 0, "a number of 0 or more"),
    ),
    "stop": ((str,), lambda way: way in get_args(wire.StopWay), "Clean or Crash"),
    "marker": ((str,), is_marker, "16 to 128 letters, digits, - or _"),
}
"""By name in the requests of `wire.agent`: its types (a bool is not a number), a check, words."""


def _asked(kind: type[Asked], request: Request, **defaults: object) -> Asked:
    """The request of that kind in the body; _Refused when a field is missing or wrong."""
    try:
        body = parsed(request.body)
    except ValueError:
        body = None
    given = defaults | (body if isinstance(body, dict) else {})
    for name in get_type_hints(kind):
        types, is_right, words = _FIELDS[name]
        if type(given.get(name)) not in types or not is_right(given[name]):
            raise _Refused(f"{name} must be {words}")
    return kind(**{name: given[name] for name in get_type_hints(kind)})
