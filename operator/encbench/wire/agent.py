"""The HTTP interface of the agent beside a database. Times are in seconds.

`GET /metrics` and `GET /healthz` (200 while the server answers a query) are open to everyone, on a
port of their own. The paths below need TLS and `Authorization: Bearer <token>`. An error is
`{"error": "<sentence>"}`: 4xx if the request is wrong, 503 if the server is away or another run is
in progress.

| path | takes | answers |
|---|---|---|
| `GET /v1/server` | | `ServerAnswer` |
| `GET /v1/room` | | `RoomAnswer`, whether the server answers or not |
| `POST /v1/evidence` | `EvidenceRequest` | `EvidenceAnswer` |
| `POST /v1/settle` | | `SettleAnswer`: one bounded round of writing what the server has changed |
| `POST /v1/checks` | `ChecksRequest` | `ChecksAnswer` at once; begins the run if the name is new |
| `POST /v1/recovery` | `StopRequest` | `RecoveryAnswer` at once; arms the stop if the name is new |
| `GET /v1/recovery?run=` | | `RecoveryAnswer`; its state is `unknown` if the name is new |
| `DELETE /v1/recovery?run=` | | `RecoveryAnswer`; what was armed and has not begun is disarmed |
| `POST /v1/slices` | `SlotsOrder` of `wire.slices` | `SlotsAnswer` at once; begins the run if new |
| `GET /v1/slices?run=` | | `SlotsAnswer`; its state is `unknown` if the name is new |
"""

from typing import Literal, NotRequired, TypedDict

SERVER = "/v1/server"
ROOM = "/v1/room"
"""An agent of an earlier version does not know it."""
EVIDENCE = "/v1/evidence"
SETTLE = "/v1/settle"
CHECKS = "/v1/checks"
RECOVERY = "/v1/recovery"

StopWay = Literal["Clean", "Crash"]
ChecksState = Literal["running", "done", "failed"]
RecoveryState = Literal["unknown", "armed", "disarmed", "stopping", "starting", "done", "failed"]


class MachineRows(TypedDict):
    """The kernel and the first processor, as the container sees them."""

    kernel: str
    cpuModel: str
    cpuFlags: list[str]
    """Among them `aes` where the processor encrypts in hardware."""
    cpuGovernor: NotRequired[str]
    """What sets its clock frequency; most virtual machines show none."""
    hostname: str


class VolumeRoom(TypedDict):
    """The file system of the server's files, as far as programs other than root's may fill it."""

    bytes: int
    freeBytes: int
    files: int
    """Inodes; 0 where the file system makes them as it needs them."""
    freeFiles: int


class RoomAnswer(TypedDict):
    """How full the volume is. A full one may be why the server is away."""

    room: VolumeRoom | None
    """None where the volume does not say it."""
    clock: float


class ServerAnswer(MachineRows):
    """Facts of the server and its machine."""

    version: str
    startedAt: float
    """Start of the server's process, Unix time."""
    processId: int
    settings: dict[str, str]
    """As the server reports them."""
    room: NotRequired[VolumeRoom | None]
    """None where the volume does not say it. An agent of an earlier version leaves it out."""
    clock: float


class SettleRequest(TypedDict):
    """Bring the server to rest before or after a run.

    A testbed's rest sends none, nor does an earlier operator.
    """

    run: str
    ended: bool
    """Whether the run is over."""


class SettleAnswer(TypedDict):
    """Whether everything that the server had changed is written, and its pool is filled again."""

    settled: bool
    dirtyPages: int | None
    """Pages still to be written; None if the engine does not report them."""
    dirtyBytes: NotRequired[int | None]
    """Changed bytes that waited before the first round of this request, beyond those that waited
    when the server was last at rest. None if the engine does not report them, or if this process of
    the agent has not seen the run begin. An agent of an earlier version does not count them."""
    loading: bool
    """Whether the server still reads back the pages that its pool held when it stopped."""
    sessions: NotRequired[int]
    """Sessions of the benchmark's login that were ended and have not gone yet. Nothing is written
    while there are some. An agent of an earlier version ends none."""
    tookSeconds: float
    clock: float


class EvidenceRequest(TypedDict):
    """Evidence by a fresh marker; `full` searches every file of the volume."""

    marker: str
    full: bool
    seconds: float
    """How long the search may take. An earlier operator does not say it."""


class TablespaceRow(TypedDict):
    """One tablespace; `busy` while background work is about to change it."""

    name: str
    encrypted: bool
    busy: bool


class BinaryLogRow(TypedDict):
    """One binary log, as the server lists it."""

    name: str
    encrypted: bool


class CatalogueRows(TypedDict):
    """What the server says about itself."""

    variables: dict[str, str]
    plugins: dict[str, str]
    tablespaces: list[TablespaceRow]
    binaryLogs: NotRequired[list[BinaryLogRow]]
    otherTables: NotRequired[dict[str, str]]
    """The benchmark's tables that are not InnoDB's, with their engine. An agent of an earlier
    version does not list them."""


class SearchedFileRow(TypedDict):
    """One file that was searched for the marker; `path` is relative to the volume."""

    path: str
    kind: str
    bytes: int
    found: bool
    echoed: NotRequired[bool]
    """The marker's echo was found, where an engine has one."""


class LowerFile(TypedDict):
    """One file of the disk under a FUSE file system."""

    path: str
    bytes: int
    found: bool


class LowerGround(TypedDict):
    """The disk under a FUSE file system."""

    own: str | None
    """The marker's own file, found again by its inode number."""
    features: list[str] | None
    """gocryptfs' FeatureFlags; None where there is no gocryptfs."""
    files: list[LowerFile]
    """The marker's own, and all that hold it; an earlier agent lists every file."""
    searched: NotRequired[int]
    """How many were searched."""
    searchedBytes: NotRequired[int]


class VolumeGround(TypedDict):
    """The mount and the devices under the marker's file."""

    device: str
    mountPoint: str | None
    type: str | None
    source: str | None
    dmCrypt: str | None
    lower: LowerGround | None


class TableColumns(TypedDict):
    """What a client sees of one row of a table, column by column."""

    table: str
    row: bool
    digest: str | None
    plain: list[str]
    encrypted: dict[str, list[str]]
    """By algorithm."""
    null: list[str]
    wrong: dict[str, str]
    """Why neither holds, by column; `*` is the table."""


class ColumnsSeen(TypedDict):
    """What a client sees through the proxy."""

    chosen: int
    """Columns in the proxy's list."""
    all: int
    """Tables of the database."""
    tables: list[TableColumns]
    """Those that were read."""


class EnclaveIndexRow(TypedDict):
    """One index, by its first column."""

    table: str
    name: str
    column: str
    operatorClass: str


class EnclavePlanRow(TypedDict):
    """How the server would run one of the workloads' statements."""

    lookup: str
    workload: str
    nodes: list[str]
    indexes: list[str]


class EnclaveSearchRow(TypedDict):
    """How often a search of an encrypted index crossed the boundary."""

    lookup: str
    transitions: int


class EnclaveRow(TypedDict):
    """The row that no workload touches, as the agent opened it."""

    table: str
    found: bool
    digest: str | None
    """What the client must print; None where a value did not open."""
    wrong: dict[str, str]
    """Why, by column."""


class CalibrationRow(TypedDict):
    """The simulated boundary's costs in nanoseconds, as set and as measured now."""

    transitionAsked: float
    transition: float
    valueAsked: float
    value: float


class SealedFile(TypedDict):
    """A file that holds a sealed marker; `found` if its plaintext is in it."""

    path: str
    bytes: int
    found: bool


class EnclaveSeen(TypedDict):
    """What the server shows of encrypted column types."""

    types: dict[str, dict[str, str]]
    """By table and column."""
    indexes: list[EnclaveIndexRow]
    plans: list[EnclavePlanRow]
    searches: NotRequired[list[EnclaveSearchRow]]
    """By each encrypted index that a point statement uses. An agent of an earlier version makes
    none."""
    row: EnclaveRow
    calibration: CalibrationRow
    marker: list[SealedFile]
    """Heap and index of the agent's own table."""
    refused: str | None
    """Why the server did not run a statement over encrypted values, as with another key; the rest
    is empty then."""


class SeenInMode(TypedDict, total=False):
    """The part of an answer that the agent gives in some modes only."""

    columns: ColumnsSeen
    """In an arm with a proxy."""
    enclave: EnclaveSeen
    """In an arm with encrypted column types."""


class EvidenceAnswer(SeenInMode):
    """Facts about the mode in force. The operator judges them; the agent does not."""

    marker: str
    full: bool
    catalogue: CatalogueRows
    files: list[SearchedFileRow]
    markerTable: str
    markerFile: str
    volume: VolumeGround | None
    tookSeconds: float
    clock: float


class ChecksRequest(TypedDict):
    """Consistency queries over TPC-C's tables."""

    run: str
    """Name of the run: the same request bears the same name."""
    warehouses: int
    loaded: bool
    """The dataset is fresh, so its numbers of rows and its indexes are checked as well."""
    full: bool
    """Whether the slow conditions are asked as well."""
    seconds: float
    """How long all of them may take."""


class CheckRows(TypedDict):
    """One query; its condition holds if it returns no row."""

    name: str
    meaning: str
    rows: list[list[str]]
    """The first few that it returned."""


class ChecksAnswer(TypedDict):
    """The progress of a run of checks."""

    run: str
    state: ChecksState
    checks: list[CheckRows]
    error: str | None
    tookSeconds: float | None


class StopRequest(TypedDict):
    """An intended stop of the server."""

    run: str
    stop: StopWay
    afterSeconds: float
    """From now until the signal."""
    seconds: float
    """Limit for everything from the signal on."""


class ProcessStart(TypedDict):
    """One process of the server."""

    processId: int
    startedAt: float


class RecoverySteps(TypedDict, total=False):
    """What a run has found so far, in this order."""

    before: ProcessStart
    """The process that was stopped."""
    statement: str
    """The query whose answer ends the recovery."""
    rows: int
    redoBytes: int | None
    signal: str
    stoppedAt: float
    late: float
    stopSeconds: float
    """From the signal until no process of the server was left."""
    after: ProcessStart
    """The process that answered."""
    answeredAt: float
    restartSeconds: float
    """Until the new process was there."""
    recoverySeconds: float
    """From the new process' start to its first answer."""
    resolutionSeconds: float
    tries: int


class RecoveryAnswer(RecoverySteps):
    """The progress of a stop of the server."""

    run: str
    state: RecoveryState
    stop: NotRequired[StopWay]
    error: NotRequired[str | None]
