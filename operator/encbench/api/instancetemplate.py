"""InstanceTemplate: one class of database instance that campaigns measure."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Placement, Resources, at_least
from encbench.api.rules import Rule, Unique, keys_match, matches
from encbench.api.scalars import Int, Name, Quantity

EngineName = Literal["mariadb", "mysql", "percona", "postgresql"]

ImageName = Annotated[
    str,
    Field(max_length=512),
    matches(
        "^[!-~]+$",
        "write the reference of an image, such as registry.example.com/mariadb:10.11",
    ),
]
"""Reference of a container image; only the runtime knows in full what it takes."""


class Storage(Model):
    """The volume under the data directory."""

    rules = (
        at_least(
            "size",
            "256Mi",
            "write a size of at least 256Mi, such as 10Gi: an empty database takes that much",
        ),
    )

    size: Quantity = Field(description="Size of the volume, such as 10Gi.")
    class_name: Name | None = Field(
        None, description="StorageClass; the cluster's default class when left out."
    )
    iops: Annotated[Int, Field(ge=1, le=10_000_000)] | None = Field(
        None,
        description="Provisioned IOPS of the volume: a fact for the report, not a limit that "
        "encbench sets.",
    )


class SecretRef(Model):
    """A Secret in the same namespace."""

    name: Name = Field(description="Name of the Secret.")


class External(Model):
    """A database that somebody else runs: the operator makes no pods and no volume for it."""

    rules = (
        Rule(
            cel="has(self.databaseCpuQuery) == has(self.cpu)",
            message="write external.cpu, the cores of the database, beside databaseCpuQuery, for "
            "its CPU is reported in percent of them; leave both out where it is not known",
            holds=lambda it: (it.database_cpu_query is None) == (it.cpu is None),
        ),
    )

    host: Annotated[
        str,
        Field(max_length=253),
        matches(
            "^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$",
            "write the host alone, as the server's certificate names it, such as db.example.com",
        ),
    ] = Field(description="Host name or IPv4 address, as client pods reach it.")
    port: Annotated[Int, Field(ge=1, le=65_535)] | None = Field(
        None, description="TCP port; the engine's usual one when left out."
    )
    database: Annotated[
        str,
        Field(max_length=63),
        matches(
            "^[A-Za-z0-9_][-A-Za-z0-9_]*$",
            "write the name of a database in letters, digits, _ and -, such as benchmark",
        ),
    ] = Field(
        description="An existing database that the campaign has for itself: the workload's tables "
        "in it are dropped and loaded anew."
    )
    credentials_secret_ref: SecretRef = Field(
        description="Secret with the entries username and password, and ca.crt for modes with "
        "inTransit; client.crt and client.key where the server wants a client certificate."
    )
    database_cpu_query: (
        Annotated[
            str,
            Field(max_length=512),
            matches(
                r"^[A-Za-z_:][A-Za-z0-9_:]*(\{[^{}]*\})?$",
                'write a selector of one series, such as cpu_seconds_total{instance="db"}, for its '
                "raw samples are read: make a sum or a rate a recording rule",
            ),
        ]
        | None
    ) = Field(
        None,
        description="Selector of the one series in the operator's Prometheus that counts the "
        "database's CPU seconds; without it database CPU is not available.",
    )
    cpu: Quantity | None = Field(
        None, description="Cores that the database has, such as 8; with databaseCpuQuery."
    )


@dataclass(frozen=True)
class Embedded:
    """What a database takes that the operator runs itself."""

    resources: Resources
    storage: Storage


class InstanceTemplateSpec(Model):
    """What a database instance of this class is made of."""

    rules = (
        at_least(
            "resources.memory",
            "128Mi",
            "give the server resources.memory of at least 128Mi: with less it is killed on start",
        ),
        Rule(
            cel="has(self.external) ? !has(self.resources) && !has(self.storage) "
            ": has(self.resources) && has(self.storage)",
            message="write resources and storage for a database that the operator runs, or "
            "external for one that it does not; not both",
            holds=lambda it: (
                [it.resources is None, it.storage is None] == [it.external is not None] * 2
            ),
        ),
        Rule(
            cel="!has(self.external) || !has(self.image) && "
            "(!has(self.imagePullSecrets) || size(self.imagePullSecrets) == 0) && "
            "(!has(self.settings) || size(self.settings) == 0) && "
            "(!has(self.placement) || "
            "(!has(self.placement.nodeSelector) || size(self.placement.nodeSelector) == 0) && "
            "(!has(self.placement.tolerations) || size(self.placement.tolerations) == 0))",
            message="leave image, imagePullSecrets, settings and placement out with external: they "
            "are for a database that the operator runs",
            holds=lambda it: it.external is None or not it.says_how_to_run,
        ),
    )

    engine: EngineName = Field(description="Database engine.")
    version: Annotated[
        str,
        Field(max_length=32),
        matches(r"^[0-9]+(\.[0-9]+)*$", "write the version in digits and dots, such as 10.11"),
    ] = Field(
        description="Version of the engine, such as 10.11; checked against what the server says."
    )
    image: ImageName | None = Field(
        None,
        description="Image with the server's binaries; the upstream project's of that engine and "
        "version when left out.",
    )
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = Field(
        "IfNotPresent", description="When the kubelet pulls the image."
    )
    image_pull_secrets: Annotated[list[Name], Field(max_length=8), Unique()] = Field(
        default_factory=list, description="Names of Secrets to pull the image with."
    )
    resources: Resources | None = Field(
        None, description="CPU and memory of the server; not with external."
    )
    storage: Storage | None = Field(
        None, description="Volume of the data directory; not with external."
    )
    settings: Annotated[
        dict[str, Annotated[str, Field(max_length=256)]],
        Field(max_length=64),
        keys_match(
            "^[a-z][a-z0-9_]{0,63}$",
            "write server settings by their option-file names, lower case with underscores, such "
            "as innodb_buffer_pool_size",
        ),
    ] = Field(
        default_factory=dict,
        description="Server settings by option-file name, such as innodb_buffer_pool_size: 256M. "
        "Settings that belong to the encryption mode or to the operator are refused.",
    )
    placement: Placement = Field(
        default_factory=Placement, description="Nodes that the database may run on."
    )
    external: External | None = Field(
        None,
        description="A database that the operator does not run, in place of image, resources, "
        "storage, settings and placement.",
    )

    @property
    def is_external(self) -> bool:
        """Whether someone else runs the database: no pod of ours, hence no agent."""
        return self.external is not None

    @property
    def embedded(self) -> Embedded:
        """What the server takes, of an instance that the operator runs."""
        assert self.resources is not None  # noqa: S101 - who asks knows that it is not external
        assert self.storage is not None  # noqa: S101 - see above
        return Embedded(self.resources, self.storage)

    @property
    def says_how_to_run(self) -> bool:
        """Whether anything but its size is said that only matters for a pod of ours."""
        placed = self.placement.node_selector or self.placement.tolerations
        return bool(self.image or self.image_pull_secrets or self.settings or placed)
