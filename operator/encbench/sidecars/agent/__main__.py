"""`python -m encbench.sidecars.agent`: put the parts together and serve.

The port in the clear comes first, because the server is ready once it answers there. What the
operator may ask for is imported while the server starts.
"""

import functools
import os
import signal

from encbench.adapters import sql
from encbench.engines.facts import facts
from encbench.engines.users import AGENT_USER
from encbench.sidecars import certificate
from encbench.sidecars.agent.config import AgentConfig, ConfigError, read_config
from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.public import Heart, PublicApi
from encbench.sidecars.agent.watched import Watched, watched
from encbench.sidecars.serving import listen, serve
from encbench.wire.failure import leave

HEALTH_SECONDS = 2.0
"""Shorter than the kubelet's timeout, so that the answer gives the reason."""
KEPT_SECONDS = 20.0
"""For how long the operator's connections stay open, longer than it keeps them itself."""


def main() -> None:
    """Serve until a signal: what is open to everyone in the clear, the rest by TLS.

    A missing setting ends it with a sentence.
    """
    try:
        config = read_config(os.environ)
    except ConfigError as error:
        leave(str(error))
    ends = (signal.SIGTERM, signal.SIGINT)
    # All threads inherit that, so a signal waits for `sigwait`.
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    seen = watched(config)
    _serve_public(config, seen)
    _serve_control(config, seen)
    signal.sigwait(ends)


def _serve_public(config: AgentConfig, seen: Watched) -> None:
    if config.columns is not None:
        # The driver finds it then; it logs in to the proxy over TCP. See `adapters.sql.mysql`.
        import encbench.adapters.columncipher  # noqa: F401, PLC0415
    driver = facts(config.engine).driver
    bounds = {"connect_timeout": HEALTH_SECONDS, "statement_timeout": HEALTH_SECONDS}
    heart = Heart(
        functools.partial(sql.connect, driver, config.socket, AGENT_USER, config.password, **bounds)
    )
    api = PublicApi(functools.partial(metrics, seen.read, seen.proxy, seen.volume), heart.beats)
    serve(listen(config.port), api.answer)
    sql.prepare(driver)


def _serve_control(config: AgentConfig, seen: Watched) -> None:
    from encbench.sidecars.agent.api import AgentApi  # noqa: PLC0415 see the module's docstring
    from encbench.sidecars.agent.control import build  # noqa: PLC0415

    try:
        context = certificate.context(config.credentials)
    except OSError as error:
        leave(f"cannot read the certificate in {config.credentials}: {error.strerror}")
    api = AgentApi(build(config, seen))
    serve(listen(config.control_port), api.answer, context, kept=KEPT_SECONDS)


if __name__ == "__main__":
    main()
