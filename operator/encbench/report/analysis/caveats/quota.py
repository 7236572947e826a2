"""The caveat about CPU limits that a node does not enforce."""

from collections.abc import Iterator

from encbench.core.statistics.saturation import UNENFORCED
from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

_PARTS = {
    "the server": "database_cpu_percent",
    "a client": "client_cpu_percent",
    "the proxy": "proxy_cpu_percent",
    "gocryptfs": "volume_cpu_percent",
}


def unenforced(facts: Facts) -> Iterator[Caveat]:
    """Something that used more CPU than it may."""
    over = [(trial, found) for trial in facts.counted if (found := _over(trial))]
    if over:
        names = [name for name in _PARTS if any(name in found for _, found in over)]
        most = max(percent for _, found in over for percent in found.values())
        yield serious(
            title="A node does not enforce CPU limits",
            text=f"In {len(over)} of {plural(len(facts.counted), 'counted trial')} "
            f"{listed(names)} used more CPU than the limit, {text.number(most, 0)} % of it at "
            "most. The arms may have had unequally many cores, and the report can say neither what "
            "limited TPS nor how many cores bring it back. Set cpuCFSQuota: true in the "
            "configuration of the nodes' kubelets.",
        )


def _over(trial: TrialView) -> dict[str, float]:
    """What exceeded its limit over the window, in percent of the limit."""
    shares = {name: getattr(trial, field) or 0.0 for name, field in _PARTS.items()}
    return {name: share for name, share in shares.items() if share > UNENFORCED}
