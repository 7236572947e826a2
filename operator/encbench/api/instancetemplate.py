"""InstanceTemplate: one class of database instance that campaigns measure."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Int, Model, Name, Placement, Quantity, Resources, at_least
from encbench.api.rules import Unique, keys_match, matches

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


class InstanceTemplateSpec(Model):
    """What a database instance of this class is made of."""

    rules = (
        at_least(
            "resources.memory",
            "128Mi",
            "give the server resources.memory of at least 128Mi: with less it is killed on start",
        ),
    )

    engine: Literal["mariadb"] = Field(description="Database engine.")
    version: Annotated[
        str,
        Field(max_length=32),
        matches(r"^[0-9]+(\.[0-9]+)*$", "write the version in digits and dots, such as 10.11"),
    ] = Field(
        description="Version of the engine, such as 10.11; checked against what the server says."
    )
    image: ImageName = Field(description="Image with the server's binaries.")
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = Field(
        "IfNotPresent", description="When the kubelet pulls the image."
    )
    image_pull_secrets: Annotated[list[Name], Field(max_length=8), Unique()] = Field(
        default_factory=list, description="Names of Secrets to pull the image with."
    )
    resources: Resources = Field(description="CPU and memory of the server.")
    storage: Storage = Field(description="Volume of the data directory.")
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
