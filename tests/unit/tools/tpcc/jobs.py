"""Jobs of TPC-C, and what is in them for the client."""

from typing import Any

from encbench.ports import Body
from encbench.tools.registry import tool
from tests.support.workloads import load_context
from tests.unit.tools.jobs import container

TURNS = {
    "sliceSeconds": 3,
    "settleSeconds": 0.5,
    "rounds": 20,
    "seed": 7,
    "trials": ["overhead-c1234567-b1-plain", "overhead-c1234567-b1-tde"],
}


def load(tpcc: Any = None, **changes: Any) -> Body:
    """The Job that loads; `tpcc` replaces fields of a dataset of four warehouses."""
    context = load_context(tpcc={"warehouses": 4, **(tpcc or {})}, **changes)
    return tool(context.spec.dataset).load_job(context)


def environment(job: Body, name: str = "tool") -> dict[str, str]:
    """What a container's environment says."""
    return {entry["name"]: entry["value"] for entry in container(job, name)["env"]}


def lines(job: Body) -> dict[str, str]:
    """The client's props."""
    text = environment(job)["ENCBENCH_PROPS"].replace("$$", "$")
    return dict(line.split("=", 1) for line in text.splitlines())
