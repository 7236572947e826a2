"""How sidecars are reached."""

import json
import socket

from encbench.adapters.agent import LARGEST_PROOF, HttpAgent
from encbench.adapters.sidecar import BYTES_A_VALUE
from encbench.api.columns import Columns
from tests.support import sealed
from tests.support.testbeds import ENCLAVE


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


def test_a_trial_s_proof_has_room_for_every_table_with_encrypted_types() -> None:
    most = 10_000
    columns = Columns.model_validate(ENCLAVE["columns"])
    content = json.dumps(sealed.evidence(columns, most)).encode()
    assert sum(map(content.count, b"[{,")) < 0.67 * LARGEST_PROOF / BYTES_A_VALUE
    assert len(content) < 0.67 * LARGEST_PROOF
