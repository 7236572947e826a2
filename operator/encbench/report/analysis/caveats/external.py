"""Caveats about databases that encbench does not run: what it cannot see of them."""

from collections.abc import Iterator

from encbench.engines.external import only_server_says
from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.text.words import listed


def external_database(facts: Facts) -> Iterator[Caveat]:
    """A server that encbench cannot inspect."""
    if facts.external:
        yield serious(
            title="Others run the database",
            text=f"Of {listed(facts.external)} the operator sees what a client's session sees: "
            "encryption in transit is proven where the clients report it, and nothing of its "
            "settings, its files, a restart or other load on it. All arms take turns on one "
            "dataset, so that each finds it as the one before has left it, and unwritten pages of "
            f"one trial may be flushed in the next.{_proxies(facts)}",
        )
        yield from _silent_clients(facts)


def _proxies(facts: Facts) -> str:
    """Modes whose clients do not insist on TLS, so that a proxy could have it behind it alone."""
    modes, resolved = set[str](), facts.resolved
    for group in facts.groups:
        instance, workload = resolved.instances[group.instance], resolved.workloads[group.workload]
        names = [arm.mode_ref for arm in group.arms]
        modes |= {
            name for name in names if only_server_says(instance, resolved.modes[name], workload)
        }
    if not modes:
        return ""
    return (
        f" Clients of {listed(sorted(modes))} did not insist on TLS, or not to encbench's "
        "knowledge. That they had it the server says, of its own end of a session: a proxy before "
        "it may have taken plaintext from them."
    )


def _silent_clients(facts: Facts) -> Iterator[Caveat]:
    """External databases whose clients do not report what their sessions negotiated."""
    silent = {
        name for name, workload in facts.resolved.workloads.items() if not workload.reports_sessions
    }
    where = {t.instance for t in facts.trials if t.workload in silent} & {*facts.external}
    if where:
        jars = _own_urls(facts, silent)
        rest = f"; that of {listed(jars)} is driver.jar's own, and was not judged" if jars else ""
        yield serious(
            title="Plaintext in transit not proven",
            text=f"BenchmarkSQL, which drove {listed(sorted(where))}, does not report what its "
            f"sessions negotiated. That they had no TLS follows from its JDBC URL alone{rest}.",
        )


def _own_urls(facts: Facts, silent: set[str]) -> list[str]:
    """Modes whose JDBC URL the user wrote, of external databases under one of these workloads."""
    groups = [g for g in facts.groups if g.workload in silent and g.instance in facts.external]
    used = {arm.mode_ref for group in groups for arm in group.arms}
    drivers = {name: facts.resolved.modes[name].driver for name in used}
    return sorted(name for name, own in drivers.items() if own is not None and own.jar is not None)
