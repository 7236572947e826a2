"""What the operator asks of a database engine: pure functions, one set per engine.

The reconcilers know nothing else of an engine, so that a further one is a package beside `mariadb`
and a line in `registry`. The builders return plain Kubernetes objects, or None where an engine or a
mode has no use for the child.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.connection import Driver
from encbench.core.evidence import Proof
from encbench.core.problem import Problem
from encbench.core.session_memory import Sessions
from encbench.engines.context import DatabaseContext
from encbench.engines.recovery import RecoveryLog
from encbench.ports import Body

RandomToken = Callable[[int], str]
"""Hex digits of that many random bytes from a source fit for secrets."""


class Judge(Protocol):
    """Whether a mode is in force, judged from the agent's evidence alone."""

    def __call__(
        self, evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool
    ) -> Proof:
        """The proof, without its time. Evidence that lacks something is no proof, not an error."""
        ...


@dataclass(frozen=True)
class Engine:
    """One engine."""

    name: str
    driver: Driver
    """What its clients speak."""
    port: int
    """Where its server listens."""
    problems: Callable[[InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]]
    """What is wrong with this template, which is not external, under this mode."""
    room: Callable[[InstanceTemplateSpec, Sessions], Iterable[Problem]]
    """The same about its memory and what a workload opens at once."""
    credentials_secret: Callable[[DatabaseContext, RandomToken], Body]
    """Fresh users, passwords and token. To be created once, never applied again."""
    keys_secret: Callable[[DatabaseContext, RandomToken], Body | None]
    """A fresh encryption key; None where nothing is encrypted or the key is the user's."""
    config_map: Callable[[DatabaseContext], Body]
    service: Callable[[DatabaseContext], Body]
    volume_claim: Callable[[DatabaseContext], Body]
    stateful_set: Callable[[DatabaseContext], Body]
    judge: Judge
    recovery: RecoveryLog
    """What its server's log says of a start after a crash."""
