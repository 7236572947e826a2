"""Whether engines and load tools can do what modes and workloads ask of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from encbench.admission.combined import of_combinations, of_names, of_pairs
from encbench.admission.gather import CampaignParts
from encbench.admission.images import TOOLS
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.core.dataset import dataset_bytes
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import SessionMemory, Sessions
from encbench.engines.registry import engine
from encbench.engines.setting_names import unknown
from encbench.tools.registry import tool
from encbench.tools.tpcc.notes import notes

PROXY_AT_REST = 4 * 2**20
PROXY_MEMORY = SessionMemory(connection=24 * 2**10, statement=24)
"""Bytes: 23.1 MiB were measured with 1,024 connections that had had answers, and up to 22 bytes for
each of hundreds of statements in tables of 256 connections, which grow to twice their size."""


def tools(found: CampaignParts) -> Iterator[Problem]:
    """Each workload by itself."""
    blocks = found.campaign.blocks
    for name, workload in found.workloads.items():
        for problem in tool(workload).problems(workload, found.script(workload), blocks):
            yield problem.about(name, f"Workload {name}")


def unusual_loads(found: CampaignParts) -> Iterator[Problem]:
    """Notes on loads of TPC-C."""
    for name, workload in found.workloads.items():
        for problem in notes(workload):
            yield problem.about(name, f"Workload {name}")


def loads(found: CampaignParts) -> Iterator[Problem]:
    """Whether one client loads all databases of a workload, which it is compared on."""
    own, outside = found.databases
    for name in sorted(own & outside):
        tpcc = found.workloads[name].tpcc
        if tpcc is None or tpcc.own_load:
            continue
        images = found.installed.images.tools if found.installed else TOOLS
        text = (
            f"Workload {name}: BenchmarkSQL loads databases in the cluster, but no external one: "
            "write an image of encbench's own client in tpcc.benchmarksql.loadImage (here "
            f"{images['tpcc']}), which then loads both, or measure them in separate campaigns"
        )
        yield Problem(WORKLOAD, Reason.EXTERNAL_UNSUPPORTED, text, name)


def runs(found: CampaignParts) -> Iterator[Problem]:
    """Each workload on each of its databases."""
    return of_combinations(
        found,
        (WORKLOAD, INSTANCE_TEMPLATE, ENCRYPTION_MODE),
        "on",
        lambda workload, *others: tool(workload).pair_problems(workload, *others),
    )


def engines(found: CampaignParts) -> Iterator[Problem]:
    """Versions, modes and settings, as each engine judges them."""
    return of_pairs(found, _problems)


def memory(found: CampaignParts) -> Iterator[Problem]:
    """Whether each server has memory for the sessions that the workloads open at once."""
    modes: defaultdict[tuple[str, str], list[EncryptionModeSpec]] = defaultdict(list)
    for one, load, mode in found.combinations(INSTANCE_TEMPLATE, WORKLOAD, ENCRYPTION_MODE):
        modes[one, load].append(found.modes[mode])
    return of_names(
        found,
        (INSTANCE_TEMPLATE, WORKLOAD),
        "with",
        lambda one, load: _room(found.instances[one], found.workloads[load], modes[one, load]),
    )


def proxies(found: CampaignParts) -> Iterator[Problem]:
    """Whether each proxy has memory for the sessions that the workloads open at once."""
    return of_combinations(found, (ENCRYPTION_MODE, WORKLOAD), "with", _proxy_room)


def unknown_settings(found: CampaignParts) -> Iterator[Problem]:
    """Notes on settings that encbench does not know; the server alone decides about them."""
    for name, instance in found.instances.items():
        for problem in () if instance.is_external else unknown(instance):
            yield problem.about(name, f"InstanceTemplate {name}")


def _problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterable[Problem]:
    return () if instance.is_external else engine(instance.engine).problems(instance, mode)


def _proxy_room(mode: EncryptionModeSpec, workload: WorkloadSpec) -> Iterable[Problem]:
    if mode.proxy is None:
        return
    own = mode.proxy.resources
    # A proxy that encrypts nothing keeps none of them.
    statements = tool(workload).statements(workload) if mode.proxy.encrypts else 0
    opened = Sessions(max(workload.load.concurrency), statements)
    takes = PROXY_AT_REST + PROXY_MEMORY.of(opened)
    if takes <= own.memory_bytes - own.row_bytes:
        return
    text = (
        f"columns.resources.memory of {own.memory} does not hold {opened}, for which the proxy has "
        f"half of it: write {-(-2 * takes // 2**20)}Mi or more, "
        f"{'fewer tables, ' if statements else ''}or a lower load.concurrency"
    )
    yield Problem(ENCRYPTION_MODE, Reason.MEMORY_TOO_SMALL, text)


def _room(
    instance: InstanceTemplateSpec, workload: WorkloadSpec, modes: Iterable[EncryptionModeSpec]
) -> Iterable[Problem]:
    """With data as large as any of the modes that meet both makes them."""
    if instance.is_external:
        return ()
    prepared, data = tool(workload).statements(workload), dataset_bytes(workload, modes)
    opened = Sessions(max(workload.load.concurrency), prepared, data)
    return engine(instance.engine).room(instance, opened)
