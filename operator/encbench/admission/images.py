"""The images of an installation: its servers and tools are used where a campaign names none.

They join the specs before these are judged and frozen, so that an upgrade of the operator changes
no image under a running campaign, and `status.resolved` says what was measured.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from encbench import __version__
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.engines.facts import FACTS

ENCLAVE = "postgresql-enclave"
"""PostgreSQL with encrypted column types, among the servers."""

SERVERS: Mapping[str, str] = {
    **{name: row.repository for name, row in FACTS.items()},
    ENCLAVE: "docker.io/encbench/postgresql",
}
"""Repositories. The tag is the template's version, and this release's follows in that of `ENCLAVE`,
whose extension is ours, unless an installation has chosen a tag."""

TOOLS: Mapping[str, str] = {
    "sysbench": f"docker.io/encbench/sysbench:1.0.20-{__version__}",
    "tpcc": f"docker.io/encbench/tpcc:{__version__}",
}


@dataclass(frozen=True)
class Images:
    """What this installation uses; upstream's servers and our tools by default."""

    servers: Mapping[str, str] = field(default_factory=lambda: SERVERS)
    tools: Mapping[str, str] = field(default_factory=lambda: TOOLS)

    @classmethod
    def chosen(
        cls, servers: Iterable[tuple[str, str]], tools: Iterable[tuple[str, str]]
    ) -> "Images":
        """The defaults, but for what an installation has chosen."""
        return cls(servers={**SERVERS, **dict(servers)}, tools={**TOOLS, **dict(tools)})

    def with_server(self, instance: InstanceTemplateSpec, *, enclave: bool) -> InstanceTemplateSpec:
        """The template with its image; `enclave` where a mode of its has encrypted column types."""
        if instance.is_external or instance.image is not None:
            return instance
        image = self.servers[ENCLAVE if enclave else instance.engine]
        if ":" not in image.rpartition("/")[2]:
            image = f"{image}:{instance.version}" + (f"-{__version__}" if enclave else "")
        return instance.model_copy(update={"image": image})

    def with_tool(self, workload: WorkloadSpec, *, external: bool) -> WorkloadSpec:
        """The workload with the images that run it and load its data.

        `external` where all its databases are: BenchmarkSQL does not check what it has loaded, and
        no agent could.
        """
        tpcc, client = workload.tpcc, workload.client
        if client.image is None:
            image = self.tools["sysbench" if tpcc is None else "tpcc"]
            client = client.model_copy(update={"image": image})
        if external and tpcc is not None and tpcc.benchmarksql is not None and not tpcc.own_load:
            loaded = tpcc.benchmarksql.model_copy(update={"load_image": self.tools["tpcc"]})
            tpcc = tpcc.model_copy(update={"benchmarksql": loaded})
        return workload.model_copy(update={"tpcc": tpcc, "client": client})
