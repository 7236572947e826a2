"""What an engine supplies to the operator: parts of a testbed, and judgements, as plain data.

The operator knows nothing else about engines. `database` assembles the parts. A further engine
takes a package beside `mariadb`, a row in `facts`, a line in `registry`, its name in
`api.instancetemplate` and the agent's questions in `sidecars.agent.probe`: docs/architecture.md has
the list.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.testbed import TestbedSpec
from encbench.core.evidence import Proof
from encbench.core.problem import Problem
from encbench.core.session_memory import Sessions
from encbench.engines.facts import EngineFacts
from encbench.engines.log_words import LogWords
from encbench.engines.users import Credentials
from encbench.kube.pods import Part

RandomToken = Callable[[int], str]
"""Gives that many random bytes in hex, from a source fit for secrets."""


class Judge(Protocol):
    """Whether a mode is in force, judged from the agent's evidence alone."""

    def __call__(
        self, evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool
    ) -> Proof:
        """The proof, without its time. Incomplete evidence gives a failed proof, not an error."""
        ...


@dataclass(frozen=True)
class ServerContainer:
    """A container of the server's image: what it has beyond every other such container."""

    command: Sequence[str]
    mounts: Sequence[Part] = ()
    """In addition to the data, the ConfigMap's files, /tmp, and the mounts of the fields below."""
    runs_init_sql: bool = False
    needs_keys: bool = True
    """Whether it gets the server's key and certificate, which the settings name."""
    tls13_environment: Mapping[str, str] = field(default_factory=dict)
    """Set in modes with TLS 1.3 only."""


@dataclass(frozen=True)
class KeyFile:
    """The file with the key of TDE. Only some engines take one."""

    name: str
    folder: str
    """Where the server's containers find it."""
    fresh: Callable[[RandomToken], str]
    unfit: Callable[[str], str | None]
    """Why a user's own key is none, in words that do not repeat it."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """One engine."""

    facts: EngineFacts
    problems: Callable[[InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]]
    """What is wrong with this embedded template under this mode."""
    room: Callable[[InstanceTemplateSpec, Sessions], Iterable[Problem]]
    """What is wrong with its memory, given the sessions that a workload opens at once."""
    init_sql: Callable[[Credentials, TestbedSpec], str]
    """The statements that create users, grants and the benchmark's database."""
    config_files: Callable[[TestbedSpec], dict[str, str]]
    """Files for the server's containers; nothing secret in any."""
    initialise: ServerContainer
    """The init container that creates the data directory."""
    server: ServerContainer
    socket: str
    """The server's unix socket, on the data volume."""
    judge: Judge
    log_words: LogWords
    volumes: Sequence[Part] = ()
    """Volumes that its containers mount, beside those of every pod."""
    key: KeyFile | None = None
    """None where the server makes its own keys, or has none."""
    index_builds: Callable[[TestbedSpec], int] | None = None
    """How many of a load's the server's memory holds at once; None if they take none of note."""
    process_per_connection: bool = False
    """Whether each connection is a process, which the agent reads every second."""


def scripts(package: str, *names: str) -> dict[str, str]:
    """Scripts of an engine's package, and the one in which a server validates its own settings."""
    folder = resources.files("encbench.engines")
    paths = {**{name: f"{package}/{name}" for name in names}, "shared.sh": "shared.sh"}
    return {name: folder.joinpath(path).read_text("utf-8") for name, path in paths.items()}
