"""InstanceTemplate: one class of database instance that campaigns measure."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Placement, Resources, at_least, optional
from encbench.api.rules import Rule, Unique, keys_match, matches, together
from encbench.api.scalars import Cores, Int, Name, Quantity

EngineName = Literal["mariadb", "mysql", "percona", "postgresql"]

ImageName = Annotated[
    str,
    Field(max_length=512),
    matches("^[!-~]+$", "write an image reference, such as registry.example.com/mariadb:10.11"),
]
"""Reference of a container image; only the runtime validates it completely."""
PullPolicy = Literal["Always", "IfNotPresent", "Never"]
PullSecrets = Annotated[list[Name], Field(max_length=8), Unique()]

SeriesSelector = Annotated[
    str,
    Field(max_length=512),
    matches(
        r"^[A-Za-z_:][A-Za-z0-9_:]*(\{[^{}]*\})?$",
        'write a selector of one series, such as cpu_seconds_total{instance="db"}, because its raw '
        "samples are read: use a recording rule for a sum or a rate",
    ),
]


class Storage(Model):
    """The volume under the data directory."""

    rules = (
        at_least("size", "256Mi", ", such as 10Gi: an empty database needs that much", "a size"),
    )

    size: Quantity = Field(description="Size of the volume, such as 10Gi.")
    class_name: Name | None = optional("StorageClass; the cluster's default class if omitted.")
    iops: Annotated[Int, Field(ge=1, le=10_000_000)] | None = None
    """Provisioned IOPS of the volume. The report shows it in `report.json` alone; encbench sets no
    such limit."""


class SecretRef(Model):
    """A Secret in the same namespace."""

    name: Name = Field(description="Name of the Secret.")


class External(Model):
    """A database that the operator does not run: it creates no pods and no volume for it."""

    rules = (
        together(
            "database_cpu_query",
            "cpu",
            "write external.cpu, the cores of the database, beside databaseCpuQuery, because its "
            "CPU is reported in percent of them; omit both if they are unknown",
        ),
    )

    host: Annotated[
        str,
        Field(max_length=253),
        matches(
            "^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$",
            "write only the host, as in the server's certificate, such as db.example.com",
        ),
    ]
    """Host name or IPv4 address for the client pods."""
    port: Annotated[Int, Field(ge=1, le=65_535)] | None = None
    """TCP port; the engine's usual one if omitted."""
    database: Annotated[
        str,
        Field(max_length=63),
        matches(
            "^[A-Za-z0-9_][-A-Za-z0-9_]*$",
            "write the name of a database in letters, digits, _ and -, such as benchmark",
        ),
    ]
    """An existing database for this campaign alone: the workload's tables in it are dropped and
    reloaded."""
    credentials_secret_ref: SecretRef
    """Secret with the label encbench.io/use=credentials and the entries username and password;
    ca.crt for modes with inTransit; client.crt and client.key if the server requires a client
    certificate, which only sysbench with MySQL's protocol can present."""
    database_cpu_query: SeriesSelector | None = None
    """Selector of the series in the operator's Prometheus that counts the database's CPU seconds;
    without it, database CPU is not available."""
    cpu: Cores | None = optional("Cores of the database, such as 8; with databaseCpuQuery.")


@dataclass(frozen=True)
class Embedded:
    """Resources of a database that the operator runs itself."""

    resources: Resources
    storage: Storage


class InstanceTemplateSpec(Model):
    """The parts of a database instance of this class."""

    rules = (
        at_least("resources.memory", "128Mi", ": with less, the server is killed on start"),
        Rule(
            cel="has(self.external) ? !has(self.resources) && !has(self.storage) : "
            "has(self.resources) && has(self.storage)",
            message="write either resources and storage (a database that the operator runs) or "
            "external",
            holds=lambda it: (
                [it.resources is None, it.storage is None] == [it.external is not None] * 2
            ),
        ),
        Rule(
            cel="!has(self.external) || !has(self.image) && (!has(self.imagePullSecrets) || "
            "size(self.imagePullSecrets) == 0) && (!has(self.settings) || size(self.settings) == "
            "0) && (!has(self.placement) || (!has(self.placement.nodeSelector) || "
            "size(self.placement.nodeSelector) == 0) && (!has(self.placement.tolerations) || "
            "size(self.placement.tolerations) == 0))",
            message="omit image, imagePullSecrets, settings and placement with external: they are "
            "for a database that the operator runs",
            holds=lambda it: it.external is None or not it.says_how_to_run,
        ),
    )

    engine: EngineName = Field(description="Database engine.")
    version: Annotated[
        str,
        Field(max_length=32),
        matches(r"^[0-9]+(\.[0-9]+)*$", "write the version in digits and dots, such as 10.11"),
    ]
    """Version of the engine, such as 10.11; it is compared with the server's own answer."""
    image: ImageName | None = None
    """Image with the server's binaries; if omitted, the installation's image of that engine and
    version: the upstream project's, unless the administrator chose another."""
    image_pull_policy: PullPolicy = "IfNotPresent"
    """When the kubelet pulls the image."""
    image_pull_secrets: PullSecrets = Field(default_factory=list)
    """Names of Secrets for pulling the image, besides the installation's own."""
    resources: Resources | None = optional("CPU and memory of the server; not with external.")
    storage: Storage | None = optional("Volume of the data directory; not with external.")
    settings: Annotated[
        dict[str, Annotated[str, Field(max_length=256)]],
        Field(max_length=64),
        keys_match(
            "^[a-z][a-z0-9_]{0,63}$",
            "write server settings by their option-file names, lower case with underscores, such "
            "as innodb_buffer_pool_size",
        ),
    ] = Field(default_factory=dict)
    """Server settings by option-file name, such as innodb_buffer_pool_size: 256M. Settings that the
    encryption mode or the operator sets are refused."""
    placement: Placement = Field(default_factory=Placement)
    """Nodes on which the database may run."""
    external: External | None = None
    """A database that the operator does not run, instead of image, resources, storage, settings and
    placement."""

    @property
    def is_external(self) -> bool:
        """Whether the operator does not run the database: there is no pod, hence no agent."""
        return self.external is not None

    @property
    def embedded(self) -> Embedded:
        """Resources of the server in an instance that the operator runs."""
        assert self.resources is not None  # noqa: S101 - who asks knows that it is not external
        assert self.storage is not None  # noqa: S101 - see above
        return Embedded(self.resources, self.storage)

    @property
    def says_how_to_run(self) -> bool:
        """Whether any field other than the size is set that only matters for our own pod."""
        placed = self.placement.node_selector or self.placement.tolerations
        return bool(self.image or self.image_pull_secrets or self.settings or placed)
