"""What the tests' listener hears, on loopback; only root may listen."""

import os
import socket
from contextlib import ExitStack

import pytest

from tests.e2e.columns import Wire
from tests.support.kube import wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may listen")

SAID, OTHER = b"answer", b"question"


@pytest.mark.parametrize("both", [False, True])
def test_it_hears_its_ports_and_no_other(both: bool) -> None:
    with ExitStack() as stack:
        server, stranger = (
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in "12"
        )
        place: tuple[str, int] = server.getsockname()
        wire = stack.enter_context(Wire(ports=[place[1]], both=both))
        callers = []
        for one in (stranger, server):
            caller = stack.enter_context(socket.create_connection(one.getsockname()))
            callers.append(caller.getsockname())
            answering, _ = one.accept()
            with answering:
                caller.sendall(OTHER)
                assert answering.recv(64) == OTHER
                answering.sendall(SAID)
                assert caller.recv(64) == SAID
        wait_for("the answer", lambda: wire.of(*place).streams() == [SAID], 10)
        assert wire.of(*callers[1]).streams() == ([OTHER] if both else [])
        for unheard in (stranger.getsockname(), callers[0]):
            assert wire.of(*unheard).streams() == []
