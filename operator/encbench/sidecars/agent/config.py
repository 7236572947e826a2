"""The agent's settings: places from the environment, secrets from files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from encbench.core.columns.layout import key_of
from encbench.wire import environment as names
from encbench.wire.sidecar import TOKEN


class ConfigError(Exception):
    """A setting is missing or unusable. The text names it."""


@dataclass(frozen=True)
class AgentConfig:
    """All settings of the agent."""

    engine: str
    volume: Path
    """Mount point of the server's volume; a full proof searches every file under it."""
    socket: Path
    port: int
    """The port of metrics and health."""
    control_port: int
    """The port of everything else."""
    credentials: Path
    """The folder with the certificate."""
    token: str = field(repr=False)
    password: str = field(repr=False)
    lower: Path | None = None
    """The folder of the disk under a FUSE file system, if there is one."""
    volume_process: str | None = None
    """The program of that file system, whose CPU and I/O count as the database's. Its CPU
    limit is its own, so its CPU is exported by itself as well."""
    columns: "ColumnsConfig | None" = None
    """Set in an arm whose clients connect through the confidential proxy."""
    enclave_key: bytes | None = field(default=None, repr=False)
    """The key of encrypted column types, in an arm that has them."""


@dataclass(frozen=True)
class ColumnsConfig:
    """How to inspect the results that the proxy returns."""

    port: int
    """The proxy's, on this pod's loopback."""
    login_port: int | None
    """The server's, where the user logs in first if the proxy reaches the server by its socket."""
    chosen: frozenset[str]
    """The columns that it encrypts, as in its own file, in lower case."""
    key: bytes = field(repr=False)
    username: str
    password: str = field(repr=False)
    """Password of the benchmark's user, whose sessions go through the proxy."""


def read_config(environment: Mapping[str, str]) -> AgentConfig:
    """Read the variables that `database.pod` sets. ConfigError names what is missing."""
    credentials = Path(_get(environment, names.CREDENTIALS))
    lower = environment.get(names.LOWER)
    return AgentConfig(
        engine=_get(environment, names.ENGINE),
        volume=Path(_get(environment, names.VOLUME)),
        socket=Path(_get(environment, names.SOCKET)),
        port=int(_get(environment, names.PORT)),
        control_port=int(_get(environment, names.CONTROL_PORT)),
        credentials=credentials,
        token=_read(credentials / TOKEN),
        password=_read(credentials / "agent-password"),
        lower=Path(lower) if lower else None,
        volume_process=environment.get(names.VOLUME_PROCESS) or None,
        columns=_columns(environment, credentials) if environment.get(names.PROXY_PORT) else None,
        enclave_key=_key(environment) if environment.get(names.ENCLAVE) else None,
    )


def _key(environment: Mapping[str, str]) -> bytes:
    path = Path(_get(environment, names.MEK_FILE))
    try:
        return key_of(_read(path))
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error


def _columns(environment: Mapping[str, str], credentials: Path) -> ColumnsConfig:
    listed = _text(Path(_get(environment, names.COLUMNS))).lower().splitlines()
    columns = (line.partition("#")[0].strip() for line in listed)
    return ColumnsConfig(
        port=int(_get(environment, names.PROXY_PORT)),
        login_port=int(login) if (login := environment.get(names.LOGIN_PORT)) else None,
        chosen=frozenset(column for column in columns if "." in column),
        key=_key(environment),
        username=_read(credentials / "username"),
        password=_read(credentials / "password"),
    )


def _get(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        raise ConfigError(f"set the environment variable {name}")
    return value


def _read(path: Path) -> str:
    text = _text(path).strip()
    if not text:
        raise ConfigError(f"{path} is empty: it must hold one line")
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
