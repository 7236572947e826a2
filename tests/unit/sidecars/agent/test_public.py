"""The port in the clear, and the agent as a process."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from encbench.sidecars.agent.public import PublicApi
from encbench.sidecars.exposition import Metric
from encbench.sidecars.routes import Request
from tests.support import sidecars
from tests.support.daemon import free_port

OPERATOR = Path(__file__).parents[4] / "operator"


def test_metrics_and_health_need_no_token() -> None:
    reasons = ["the server sleeps", None]
    answer = PublicApi(lambda: [Metric("up", "gauge", "It is.", 1)], reasons.pop).answer
    metrics = answer(Request("GET", "/metrics", {}, b""))
    assert metrics.status == 200
    assert metrics.content_type.startswith("text/plain; version=0.0.4")
    assert metrics.content == b"# HELP up It is.\n# TYPE up gauge\nup 1\n"
    assert answer(Request("GET", "/healthz", {}, b"")).status == 200
    sick = answer(Request("GET", "/healthz", {}, b""))
    assert sick.status == 503
    assert json.loads(sick.content) == {"error": "the server sleeps"}
    assert answer(Request("GET", "/v1/server", {}, b"")).status == 404


def test_it_serves_both_ports_until_a_signal(tmp_path: Path) -> None:
    sidecars.write(tmp_path, "agent", "t0ken")
    (tmp_path / "agent-password").write_text("password")
    port, control = free_port(), free_port()
    environment = {
        "PYTHONPATH": str(OPERATOR),
        "PATH": os.environ["PATH"],
        "ENCBENCH_ENGINE": "mariadb",
        "ENCBENCH_VOLUME": str(tmp_path),
        "ENCBENCH_SOCKET": str(tmp_path / "none.sock"),
        "ENCBENCH_CREDENTIALS": str(tmp_path),
        "ENCBENCH_PORT": str(port),
        "ENCBENCH_CONTROL_PORT": str(control),
    }
    words = [sys.executable, "-m", "encbench.sidecars.agent"]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) as agent:
        await_port(agent, control)
        clear = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        clear.request("GET", "/healthz")
        assert clear.getresponse().status == 503
        operator = http.client.HTTPSConnection(
            "127.0.0.1", control, timeout=5, context=sidecars.trust()
        )
        operator.request("GET", "/v1/recovery", headers={"Authorization": "Bearer t0ken"})
        answer = operator.getresponse()
        assert (answer.status, json.loads(answer.read())["state"]) == (200, "unknown")
        agent.send_signal(signal.SIGTERM)
        assert agent.wait(5) == 0
        operator.close()


def await_port(agent: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            assert agent.poll() is None, agent.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.02)
