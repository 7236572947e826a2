"""Whether TPC-C's tables are consistent: the agent beside the database asks, this judges.

docs/design/0004-tpcc.md says why it is the agent that asks, and when.
"""

from dataclasses import dataclass

from encbench.api.lifecycle import CHECK_FAILED, CHECK_TIMEOUT, CONSISTENT, INCONSISTENT
from encbench.api.testbed import TestbedSpec
from encbench.api.tpcc import Tpcc
from encbench.tools.tpcc import consistency
from encbench.wire import agent as wire
from encbench.wire.foreign import printable


@dataclass(frozen=True)
class Checked:
    """What the checks came to."""

    ok: bool
    reason: str
    """One word, for a condition."""
    message: str


def due(spec: TestbedSpec) -> Tpcc | None:
    """The dataset that is to be checked; None where nothing is known to hold of it.

    An external database has no agent: its load Job checks it once.
    """
    return None if spec.instance.is_external else spec.dataset.tpcc


def not_checked(spec: TestbedSpec) -> str | None:
    """Why what should be checked after a trial is not; None where nothing is left out."""
    if spec.dataset.tpcc is None or not spec.instance.is_external:
        return None
    return "an external database has no agent that could run the consistency queries"


def overdue(problem: str) -> Checked:
    """They were waited for long enough; `problem` is why the agent could not be asked."""
    why = problem or "stepDeadlines.proof is too short for them"
    message = f"the consistency queries did not come to an end in time: {why}"
    return Checked(False, CHECK_TIMEOUT, message)


def judge(answer: wire.ChecksAnswer, *, full: bool = False) -> Checked | None:
    """From the agent's answer; None while the checks run. `full` is what it was asked."""
    state, took = answer["state"], answer["tookSeconds"]
    if state == "running":
        return None
    if state != "done":
        why = printable(answer["error"] or "the agent gave no reason")
        return Checked(False, CHECK_FAILED, f"the consistency queries could not be run: {why}")
    checks = {check["name"]: check for check in answer["checks"]}
    asked = consistency.conditions("", full=full)
    missing = [query.name for query in asked if query.name not in checks]
    if missing:
        return Checked(False, CHECK_FAILED, f"the agent did not ask {', '.join(missing)}")
    broken = [check for check in checks.values() if check["rows"]]
    if broken:
        return Checked(False, INCONSISTENT, "; ".join(_sentence(check) for check in broken))
    return Checked(True, CONSISTENT, f"{len(checks)} queries gave no row in {took:g} s")


def _sentence(check: wire.CheckRows) -> str:
    rows = ", ".join(f"({', '.join(row)})" for row in check["rows"])
    return f"{check['name']}: {check['meaning']}, such as {rows}"
