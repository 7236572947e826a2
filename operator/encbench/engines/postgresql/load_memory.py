"""The memory that a load takes beside the shared buffers.

Each of its threads ends with an index build, which may take all of `maintenance_work_mem`, so that
the load has no more threads than the memory holds builds. All sizes are in bytes.
"""

from collections.abc import Iterator
from dataclasses import replace

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.api.testbed import TestbedSpec
from encbench.core.problem import Problem, Reason
from encbench.engines.memory_fit import KIBIBYTE, MEBIBYTE, Pool
from encbench.engines.postgresql.settings import AT_REST, POOL, WORK_MEMORY, parse_size

SETTING = "maintenance_work_mem"


def index_builds(spec: TestbedSpec) -> int:
    """How many the server's memory holds at once, and at least one."""
    memory = spec.instance.embedded.resources.memory_bytes
    room = memory - AT_REST - _pool(spec.instance, spec.max_connections)
    return max(room // _build(_work_memory(spec.instance)), 1)


def pool_of(instance: InstanceTemplateSpec) -> Pool:
    """The pool beside one index build; of more work memory than usual `problems` judges that."""
    work = min(_work_memory(instance), WORK_MEMORY)
    return replace(POOL, load=AT_REST + _build(work))


def problems(instance: InstanceTemplateSpec) -> Iterator[Problem]:
    """Whether the memory holds one build; the server's default is the pool's own check."""
    if SETTING not in instance.settings:
        return
    own, pool = instance.embedded.resources, _pool(instance)
    room = own.memory_bytes - AT_REST - pool
    if _build(_work_memory(instance)) <= room or pool > pool_of(instance).largest(own.memory_bytes):
        return
    most = (room - POOL.sessions.connection) // MEBIBYTE
    text = (
        f"settings.{SETTING} of {instance.settings[SETTING]} does not fit into resources.memory of "
        f"{own.memory} beside {POOL.setting} of {pool // MEBIBYTE}MB, and the load's index builds "
        f"may take all of it: write {most}MB or less, or raise resources.memory"
    )
    yield Problem(INSTANCE_TEMPLATE, Reason.MEMORY_TOO_SMALL, text)


def _build(work_memory: int) -> int:
    """What one takes with its session. Parallel workers divide the work memory among them."""
    return work_memory + POOL.sessions.connection


def _work_memory(instance: InstanceTemplateSpec) -> int:
    """The server's default where the template's is no size: the server itself refuses that."""
    return parse_size(instance.settings.get(SETTING, ""), unit=KIBIBYTE) or WORK_MEMORY


def _pool(instance: InstanceTemplateSpec, connections: int = 0) -> int:
    default = POOL.default(instance.embedded.resources.memory_bytes, connections)
    return parse_size(instance.settings.get(POOL.setting, default)) or 0
