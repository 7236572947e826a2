"""The agent: an unprivileged process beside a database server that reads what only it can read.

It shares the server's process namespace, user and volume. It gathers facts and judges nothing: what
they mean for a mode is decided in the operator by `engines.<engine>.judge`.

HTTP on one port. Without a token: `GET /metrics` and `GET /healthz` (200 while the server answers a
query). With `Authorization: Bearer <token>`: `GET /v1/server`, `POST /v1/evidence`, `POST
/v1/settle`, `POST /v1/checks`, `POST /v1/recovery` and `GET /v1/recovery?run=`. An error is
`{"error": "<sentence>"}`.

`/v1/server` answers `version`, `startedAt` (Unix s), `processId`, `settings`, `kernel`, `cpuModel`,
`cpuFlags`, `hostname`, `clock` (Unix s). `/v1/evidence` takes `{"marker": str, "full": bool}` and
answers `marker`, `full`, `catalogue`, `files` (`path`, `kind`, `bytes`, `found`), `markerTable`,
`markerFile` (its path), `volume` (what that file lies on, see `volume`), `columns` (what a client
sees of them, see `columns`, in an arm with a proxy), `tookSeconds`, `clock`.
`/v1/settle` has the server write what it has changed, for a bounded time, and answers `settled`,
`dirtyPages`, `tookSeconds`, `clock`. `/v1/checks` takes `{"run": str, "warehouses":
int, "loaded": bool, "seconds": float}` and answers at once `run`, `state` (`running`, `done`,
`failed`), `checks` (`name`, `meaning`, `rows`: none where it holds), `error`, `tookSeconds`.

`POST /v1/recovery` takes `{"run": str, "stop": "Clean" | "Crash", "afterSeconds": float, "seconds":
float}`: the server is stopped that much later, and has that many seconds to come back. Both it and
the GET answer at once `run`, `state` (`armed`, `stopping`, `starting`, `done`, `failed`; the GET
also `unknown`), `stop`, `error`, and as they come to be known `before` and `after` (`processId`,
`startedAt`: the process that was stopped and the one that answered), `statement`, `rows`,
`redoBytes`, `signal`, `stoppedAt`, `late`, `stopSeconds`, `restartSeconds` (until the new process),
`recoverySeconds` (from its start to the answer), `resolutionSeconds`, `answeredAt`, `tries`.

It runs at a twentieth of a core beside a server that is being measured: what it imports and what a
scrape costs are part of its design.
"""
