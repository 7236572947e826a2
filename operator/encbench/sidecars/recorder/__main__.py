"""`python -m encbench.sidecars.recorder`: settings, signals, server, run."""

import os
import signal
import sys

from encbench.sidecars import certificate
from encbench.sidecars.recorder import config, server
from encbench.sidecars.recorder.api import Api
from encbench.sidecars.recorder.recorder import RunDriver
from encbench.sidecars.recorder.run import Run


def main() -> int:
    """Record one run; 0 when everything is stored."""
    settings = config.from_environment(os.environ)
    run = Run()
    signal.signal(signal.SIGTERM, lambda *_: run.stop(settings.grace))
    api = Api(run, settings.token, settings.store)
    server.serve(server.listen(settings.port), api.public)
    server.serve(
        server.listen(settings.control_port), api.answer, certificate.context(settings.credentials)
    )
    return RunDriver(settings, run).main()


if __name__ == "__main__":
    sys.exit(main())
