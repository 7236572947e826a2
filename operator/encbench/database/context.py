"""What the builders know of one testbed, and what all its children share."""

from dataclasses import dataclass
from typing import Any

from encbench.api.testbed import TestbedSpec
from encbench.core.naming import credentials_name
from encbench.engines.engine import Engine, KeyFile
from encbench.engines.registry import engine
from encbench.kube import labels
from encbench.kube.pods import Programs


@dataclass(frozen=True)
class DatabaseContext:
    """One testbed, and what runs beside its server."""

    name: str
    """Name of the testbed, of its StatefulSet and of its Service."""
    namespace: str
    owner: dict[str, Any]
    spec: TestbedSpec
    programs: Programs

    @property
    def engine(self) -> Engine:
        """The engine of the testbed's instance."""
        return engine(self.spec.instance.engine)

    @property
    def key_file(self) -> KeyFile | None:
        """The file with the key of the mode's TDE; None where the server takes none."""
        return None if self.spec.mode.tde is None else self.engine.key

    @property
    def credentials_name(self) -> str:
        """Name of the Secret with users, passwords and tokens."""
        return credentials_name(self.name)

    @property
    def keys_name(self) -> str:
        """Name of the Secret with the encryption keys of the disk."""
        return f"{self.name}-keys"

    @property
    def claim_name(self) -> str:
        """Name of the claim of the data volume."""
        return f"{self.name}-data"

    @property
    def labels(self) -> dict[str, str]:
        """Labels of every child, the pod included; client pods avoid its node by them."""
        return labels.of_arm("database", self.spec, self.name)

    def metadata(self, name: str) -> dict[str, Any]:
        """Metadata of a child of that name."""
        return labels.metadata(name, self.namespace, self.labels, self.owner)
