"""The agent: an unprivileged process beside a database server that reads what only it can read.

It shares the server's process namespace, user and volume. It gathers facts and judges nothing: what
they mean for a mode is decided in the operator by `engines.<engine>.judge`.

HTTP on one port. Without a token: `GET /metrics` and `GET /healthz` (200 while the server answers a
query). With `Authorization: Bearer <token>`: `GET /v1/server`, `POST /v1/evidence`, `POST
/v1/settle` and `POST /v1/checks`. An error is `{"error": "<sentence>"}`.

`/v1/server` answers `version`, `startedAt` (Unix s), `processId`, `settings`, `kernel`, `cpuModel`,
`cpuFlags`, `hostname`, `clock` (Unix s). `/v1/evidence` takes `{"marker": str, "full": bool}` and
answers `marker`, `full`, `catalogue`, `files` (`path`, `kind`, `bytes`, `found`), `markerTable`,
`markerFile` (its path), `volume` (what that file lies on, see `volume`), `tookSeconds`, `clock`.
`/v1/settle` has the server write what it has changed, for a bounded time, and answers `settled`,
`dirtyPages`, `tookSeconds`, `clock`. `/v1/checks` takes `{"run": str, "warehouses":
int, "loaded": bool, "seconds": float}` and answers at once `run`, `state` (`running`, `done`,
`failed`), `checks` (`name`, `meaning`, `rows`: none where it holds), `error`, `tookSeconds`.

It runs at a twentieth of a core beside a server that is being measured: what it imports and what a
scrape costs are part of its design.
"""
