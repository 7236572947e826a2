"""Caveats about connections with TLS: what of its cost no figure has."""

from collections.abc import Iterator

from encbench.report.analysis.caveats.facts import Facts, note
from encbench.report.document import Caveat
from encbench.text.words import listed


def handshakes(facts: Facts) -> Iterator[Caveat]:
    """Arms with TLS, whose connections are made before anything is measured."""
    resolved = facts.resolved
    under = {
        group.workload
        for group in facts.groups
        if any(resolved.modes[arm.mode_ref].in_transit is not None for arm in group.arms)
    }
    own = sorted(name for name in under if resolved.workloads[name].own_script)
    said = []
    if under - {*own}:
        said.append(
            "Clients connect before the window and keep their connections, so that no figure has "
            "the cost of a handshake. An application that connects often pays for it besides."
        )
    if own:
        said.append(
            f"Under {listed(own)} a script of your own ran: if it connects again in event(), "
            "handshakes are part of the figures."
        )
    if said:
        yield note(title="Handshakes of TLS", text=" ".join(said))
