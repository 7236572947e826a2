"""What a daemon is: a program with its arguments and the files that it is configured by."""

from dataclasses import dataclass, field
from pathlib import Path

from .layout import Layout
from .nodes import FIRST, Node


@dataclass(frozen=True)
class Daemon:
    """A program, its arguments, the files it is configured by (path → content) and its ports.

    A ``client`` of the API server finds its kubeconfig at :func:`kubeconfig_path`. It runs on
    ``node``; a command ``through`` which it is started makes the node first.
    """

    name: str
    binary: Path
    arguments: tuple[str, ...]
    files: dict[Path, str] = field(default_factory=dict)
    client: bool = False
    ports: tuple[tuple[str, int], ...] = ()
    node: Node = FIRST
    through: tuple[str, ...] = ()

    @property
    def argv(self) -> list[str]:
        return [*self.through, str(self.binary), *self.arguments]

    @property
    def group(self) -> str:
        """Its control group."""
        return self.node.group(self.name)


def kubeconfig_path(layout: Layout, name: str) -> Path:
    """The kubeconfig of a daemon that talks to the API server."""
    return layout.config / f"{name}.kubeconfig"
