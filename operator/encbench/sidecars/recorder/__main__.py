"""`python -m encbench.sidecars.recorder`: settings, signals, server, run."""

import os
import signal
import sys

from encbench.sidecars import certificate
from encbench.sidecars.recorder import config
from encbench.sidecars.recorder.api import Api
from encbench.sidecars.recorder.recorder import RunDriver
from encbench.sidecars.recorder.run import Run
from encbench.sidecars.serving import listen, serve


def main() -> int:
    """Record one run; 0 when everything is stored."""
    settings = config.from_environment(os.environ)
    run = Run(settings.store_authority)
    signal.signal(signal.SIGTERM, lambda *_: run.stop(settings.grace))
    api = Api(run, settings.token, settings.store)
    serve(listen(settings.port), api.public)
    serve(listen(settings.control_port), api.answer, certificate.context(settings.credentials))
    return RunDriver(settings, run).main()


if __name__ == "__main__":
    sys.exit(main())
