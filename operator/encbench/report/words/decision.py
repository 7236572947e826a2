"""An answer to decide by: one sentence without figures, and what follows from it.

What follows is capacity, more measuring, or nothing. More measuring is described by its precision,
never as the way to a verdict, because a narrower interval may lie anywhere.
"""

from encbench.report.document.group import Capacity, Demand, Finding
from encbench.report.figures import JUDGED, TPS
from encbench.report.words import judgement, text
from encbench.text.words import capitalised

_NODE_CPU = (
    "compare the node's CPU in sequential blocks, because a cipher in its kernel, such as "
    "dm-crypt, is in no pod"
)


def capacity(found: Capacity) -> str:
    """`for the same TPS 8 cores become 8.6 [8.4, 8.8]`."""
    noun = "core becomes" if found.cores == 1 else "cores become"
    return f"for the same TPS {found.cores:g} {noun} {text.cores(found)}"


def demand(found: Demand) -> str:
    """`an interval of ±1 % takes about 40 more rounds, 6 minutes`."""
    if found.rounds:
        # A rounded count may take a block more, and from six on blocks have fewer observations.
        count, shown, noun = found.rounds, f"{found.rounds:,}", "round"
    else:
        count, noun = found.blocks or 0, "block"
        shown = text.about(count)
    more = f"about {shown} more {noun}{'' if count == 1 else 's'}"
    width = text.half_width(found.half_width)
    return f"an interval of {width} takes {more}, {text.duration(found.seconds)}"


def afterwards(finding: Finding, found: Capacity | None) -> list[str]:
    """Sentences that follow the answer: its capacity, or what a narrower interval takes."""
    if finding.demand is not None:
        return [f"{capitalised(demand(finding.demand))}."]
    cores = _cores(finding, found)
    return [f"{capitalised(capacity(cores))}."] if cores is not None else []


def _cores(finding: Finding, found: Capacity | None) -> Capacity | None:
    """Of a loss of TPS that is one."""
    return found if finding.figure == TPS.key and finding.verdict == "Overhead" else None


def brief(
    cause: str, finding: Finding, margin: float, place: str, against: str = judgement.BASELINE
) -> str:
    """`tde costs TPS (read-write at 4 threads on small)`, as a sentence."""
    phrase = JUDGED[finding.figure].phrase
    match finding.verdict:
        case "Overhead":
            does = "costs TPS" if finding.figure == TPS.key else f"raises {phrase}"
        case "Equivalent":
            does = f"makes no difference to {phrase} that matters"
        case _ if judgement.is_better(finding, margin):
            side = judgement.better_side(finding)
            return (
                f"With {cause}, {phrase} is {side} than {against}'s by an amount that matters "
                f"({place})."
            )
        case _:
            return f"Whether {cause} changes {phrase} by an amount that matters is open ({place})."
    return f"{cause} {does} ({place})."


def so(
    finding: Finding,
    found: Capacity | None,
    margin: float,
    cpu: Finding | None = None,
    *,
    proxied: bool = False,
    cause: str = "encryption",
) -> str:
    """What follows: `So for the same TPS 8 cores become 8.6 [8.4, 8.8]`, as a sentence.

    `cpu` is what the same arm's CPU per transaction says, `proxied` whether the arm or what it is
    compared with has a proxy, `cause` what the arm has more than that.
    """
    return f"So {_follows(finding, found, margin, cpu, proxied, cause)}."


def _follows(
    finding: Finding,
    found: Capacity | None,
    margin: float,
    cpu: Finding | None,
    proxied: bool,
    cause: str,
) -> str:
    phrase, by_cpu = JUDGED[finding.figure].phrase, ""
    if cpu is not None and cpu.verdict == "Overhead":
        by_cpu = f"decide by CPU per transaction, {text.between(cpu.change, margin)} higher"
    if finding.verdict == "Equivalent":
        return _from_no_difference(margin, cpu, by_cpu)
    if finding.verdict == "Overhead":
        cores = _cores(finding, found)
        if cores is not None:
            return capacity(cores)
        side = "lower" if finding.figure == TPS.key else "higher"
        return (
            f"expect {phrase} to be {text.between(finding.change, margin)} {side} under such a load"
        )
    if finding.demand is not None:
        more = demand(finding.demand)
        return f"{by_cpu}, or measure on: {more}" if by_cpu else more
    first = f"{by_cpu}, or " if by_cpu else ""
    match finding.obstacle:
        case "NoSpread":
            return (
                f"{first}measure longer windows, because figures that are equal in every block "
                "count too few transactions"
            )
        case "Placement":
            return (
                f"{first}measure on testbeds that are built anew (blocks.perTestbed), because one "
                "of each leaves too much to luck"
            )
        case "CarryOver":
            return (
                f"{first}measure with a longer blocks.interleave.settle or in sequential blocks, "
                "because arms leave work behind for each other"
            )
        case "KernelCipher":
            return _NODE_CPU
        case "BetterThanBaseline" if by_cpu:
            why = ", because a proxy's CPU limit adds to its server's and so can raise TPS"
            return by_cpu + why * proxied
        case "BetterThanBaseline":
            return f"look for another cause first, because {cause} makes nothing faster"
        case _:
            return "measure more before you decide"


def _from_no_difference(margin: float, cpu: Finding | None, by_cpu: str) -> str:
    """Of a figure that is as good as the baseline's, where CPU may say otherwise."""
    if by_cpu:
        return f"{by_cpu}, because TPS does not show that"
    if cpu is not None and cpu.obstacle == "KernelCipher":
        return f"{_NODE_CPU}, and TPS need not show what that takes"
    return f"a cost below the margin of {text.margin(margin)} need not decide"
