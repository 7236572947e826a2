"""Workload: which tool drives the database, how hard, and from what client."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from encbench.api.base import Duration, Fraction, Model, Name, Placement, Resources, parse_duration
from encbench.api.instancetemplate import ImageName

BuiltinScript = Literal[
    "oltp_delete",
    "oltp_insert",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "select_random_points",
    "select_random_ranges",
]


class ConfigMapKeyRef(Model):
    """One entry of a ConfigMap in the same namespace."""

    name: Name = Field(description="Name of the ConfigMap.")
    key: Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+\.lua$", max_length=253)] = Field(
        description="Entry that holds the script, such as transfer.lua."
    )


class Sysbench(Model):
    """A sysbench test."""

    model_config = {
        "json_schema_extra": {
            "x-kubernetes-validations": [
                {
                    "rule": "has(self.script) != has(self.scriptConfigMapRef)",
                    "message": "name either a built-in script (script: oltp_read_write) or a Lua "
                    "script of your own (scriptConfigMapRef: {name, key}), one of the two",
                }
            ]
        }
    }

    script: BuiltinScript | None = Field(None, description="A script that sysbench brings along.")
    script_config_map_ref: ConfigMapKeyRef | None = Field(
        None,
        description="A Lua script of your own, read once when the campaign starts. It must define "
        "the commands prepare and run.",
    )
    tables: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="Number of tables.")
    table_size: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(
        10_000, description="Rows in each table."
    )
    options: Annotated[
        dict[
            Annotated[str, Field(max_length=64)],
            Annotated[str, Field(max_length=256)],
        ],
        Field(
            max_length=32,
            json_schema_extra={
                "x-kubernetes-validations": [
                    {
                        "rule": "self.all(key, key.matches('^[a-z][a-z0-9_-]{0,63}$'))",
                        "message": "write options as sysbench does without the leading dashes, "
                        "such as range-size",
                    }
                ]
            },
        ),
    ] = Field(
        default_factory=dict,
        description="Further options of the script without the leading dashes, such as "
        "range-size: '100'. One that the script does not declare is refused.",
    )

    @model_validator(mode="after")
    def _one_script(self) -> Self:
        if (self.script is None) == (self.script_config_map_ref is None):
            raise ValueError(
                "name either a built-in script (script: oltp_read_write) or a Lua script of your "
                "own (scriptConfigMapRef: {name, key}), one of the two"
            )
        return self


class Load(Model):
    """How hard and how long."""

    concurrency: Annotated[
        list[Annotated[int, Field(ge=1, le=4096)]], Field(min_length=1, max_length=32)
    ] = Field(
        json_schema_extra={"x-kubernetes-list-type": "set"},
        description="Client threads, in total over all replicas; one measurement each.",
    )
    warmup: Duration = Field(
        "30s", description="Load before the measured window, left out of every figure."
    )
    duration: Duration = Field("60s", description="Length of the measured window.")
    rate: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        None,
        description="Transactions a second to offer, in total over all replicas; as many as "
        "possible when left out.",
    )

    @property
    def warmup_seconds(self) -> float:
        """Warm-up in seconds."""
        return parse_duration(self.warmup)

    @property
    def duration_seconds(self) -> float:
        """Measured window in seconds."""
        return parse_duration(self.duration)


class Client(Model):
    """The pods that run the tool."""

    image: ImageName = Field(description="Image of the tool, used as it is.")
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = Field(
        "IfNotPresent", description="When the kubelet pulls the image."
    )
    image_pull_secrets: Annotated[list[Name], Field(max_length=8)] = Field(
        default_factory=list, description="Names of Secrets to pull the image with."
    )
    replicas: Annotated[int, Field(ge=1, le=64)] = Field(
        1, description="Client pods; they start together and their TPS is summed."
    )
    resources: Resources = Field(description="CPU and memory of each client pod's tool.")
    placement: Placement = Field(
        default_factory=Placement, description="Nodes that the clients may run on."
    )


class WorkloadSpec(Model):
    """A tool, its dataset, the load and the client."""

    sysbench: Sysbench = Field(description="The sysbench test to run.")
    load: Load = Field(description="Concurrency levels, warm-up and duration.")
    client: Client = Field(description="Pods that drive the load.")
    max_error_rate: Fraction = Field(
        0.01,
        description="Ignored errors per transaction, above which a trial is Invalid.",
    )
