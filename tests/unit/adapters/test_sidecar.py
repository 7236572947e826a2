"""How sidecars are reached."""

import socket

from encbench.adapters.agent import HttpAgent


async def test_a_lost_node_is_noticed_while_an_answer_is_awaited() -> None:
    agent = HttpAgent()
    made = agent._session.connector
    try:
        assert made is not None
        factory = made._socket_factory  # type: ignore[attr-defined]
        with factory((socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ())) as one:
            assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            idle, interval, count = (
                one.getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
        assert idle + interval * count <= 120
    finally:
        await agent.aclose()
