"""Caveats about encrypted columns: what is simulated, and what the figures leave out."""

from collections.abc import Callable, Iterable, Iterator

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.columns.enclave import SIMULATION
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.document.group import LayerStep
from encbench.report.words import text
from encbench.text.words import listed


def stand_in(facts: Facts) -> Iterator[Caveat]:
    """Our proxy simulates a vendor's."""
    names = _modes(facts, lambda mode: mode.proxy is not None)
    if names:
        yield serious(
            title="A simulation of a vendor's proxy layer",
            text=f"{listed(names)} {'goes' if len(names) == 1 else 'go'} through a proxy of "
            "encbench's own in the database's pod, which stands in for the proxy layer of an "
            "always-confidential database. What a vendor's layer costs is not measured here, and "
            "nothing is kept confidential from whoever runs the machine: the key lies beside the "
            "database, whose files and memory are in plaintext.",
        )


def by_socket(facts: Facts) -> Iterator[Caveat]:
    """A proxy that reaches the server without TCP."""
    names = _modes(facts, lambda mode: mode.proxy is not None and mode.proxy.by_socket)
    others = _modes(facts, lambda mode: mode.proxy is not None and not mode.proxy.by_socket)
    if names:
        rest = f" By TCP on loopback: {listed(others)}." if others else ""
        yield note(
            title="Topology: the proxy reaches the server by its unix socket",
            text=f"Under {listed(names)} there is no TCP between proxy and server, as only a proxy "
            "on the server's own machine can have it. That hop is cheaper: do not lay its figures "
            f"beside those of a proxy that reaches its server by TCP.{rest}",
        )


def simulated_boundary(facts: Facts) -> Iterator[Caveat]:
    """Encrypted types whose enclave is a delay."""
    names = _modes(facts, lambda mode: mode.enclave is not None)
    if names:
        yield serious(
            title=SIMULATION,
            text=f"{listed(names)}: the cryptography of encrypted types is real, and the enclave's "
            "boundary is a calibrated delay of encbench's own. EPC paging, attestation and a "
            "vendor's protocol are left out, and page batching stands for the idea of a vendor's "
            "index extension. Nothing is kept confidential from whoever runs the machine: the key "
            "is in the server's memory.",
        )


def hop_not_apart(facts: Facts) -> Iterator[Caveat]:
    """An encrypted arm without a pass-through arm to compare with."""
    after = [step for step in _steps(facts) if "hop" in step.layers and step.blocks]
    mixed = [step for step in after if len(step.layers) > 1]
    if mixed:
        names = listed(dict.fromkeys(step.arm for step in mixed))
        yield serious(
            title="The hop is not told apart",
            text=f"No arm goes through the proxy and is otherwise like {names} with nothing "
            "encrypted: what the way through the proxy costs is in the figures of driver or "
            "encryption. Add a mode with columns.ratio: 0 and the same resources and upstream.",
        )


def hop_in_the_loss(facts: Facts) -> Iterator[Caveat]:
    """A loss against the direct arm that includes the way through the proxy."""
    found = [step for step in _steps(facts) if step.layers == ("hop",)]
    known = [step.loss.estimate for step in found if step.loss is not None]
    if known:
        low, high = min(known), max(known)
        ranged = text.percent(high)
        if text.percent(low) != ranged:
            ranged = f"{text.number(100 * low, 1)} to {ranged}"
        arms = listed(dict.fromkeys(step.arm for step in found))
        yield note(
            title="The hop is encbench's own",
            text=f"Against the direct arm every loss contains the way through the proxy, {ranged} "
            "of TPS with nothing encrypted, which a database with a proxy layer of its own pays in "
            f"plaintext as well: the fair baseline of driver and encryption is {arms}, and the "
            "tables by layer use it.",
        )


def results_only(facts: Facts) -> Iterator[Caveat]:
    """Traffic that is not encrypted."""
    names = _modes(facts, _encrypts)
    if names:
        yield note(
            title="Only results are encrypted",
            text=f"{listed(names)}: statements and their parameters go to the server as they are, "
            "in plaintext, and so do storage and execution. Writes are therefore hardly affected, "
            "and a workload with other reads than this one's pays another price.",
        )


def client_without_driver(facts: Facts) -> Iterator[Caveat]:
    """The client, sysbench, receives ciphertext and drops it."""
    modes = _modes(facts, _encrypts)
    groups = (g for g in facts.groups if facts.resolved.workloads[g.workload].tpcc is None)
    arms = {arm.name for group in groups for arm in group.arms if arm.mode_ref in modes}
    if arms:
        yield note(
            title="The client does not decrypt",
            text=f"sysbench has no encrypting driver: under {listed(sorted(arms))} it receives "
            "ciphertext and drops it. Response time and client CPU are without what decryption "
            "would add.",
        )


def permissive(facts: Facts) -> Iterator[Caveat]:
    """Results of expressions that leave in plaintext."""
    modes = facts.resolved.modes
    names = [n for n in _modes(facts, _encrypts) if (own := modes[n].proxy) and not own.strict]
    if names:
        yield serious(
            title="Columns of unknown origin are in plaintext",
            text=f"{listed(names)} {'has' if len(names) == 1 else 'have'} strict: false: what an "
            "expression, a view, a derived table or a UNION shows of a chosen column leaves the "
            "proxy as plaintext.",
        )


def driver_before_external(facts: Facts) -> Iterator[Caveat]:
    """An encrypting driver in front of a database that encrypts by itself."""
    drivers = _modes(facts, lambda mode: mode.driver is not None and mode.proxy is None)
    if drivers and facts.external:
        encrypt = "encrypts" if len(facts.external) == 1 else "encrypt"
        exchange = "exchanges" if len(drivers) == 1 else "exchange"
        yield serious(
            title="What the database encrypts was not seen",
            text=f"{listed(facts.external)} {encrypt} columns or not, by rules that the owner set; "
            f"{listed(drivers)} only {exchange} the client's driver. Which columns arrived "
            "encrypted, and by which algorithm, is the owner's word.",
        )


def _modes(facts: Facts, wanted: Callable[[EncryptionModeSpec], bool]) -> list[str]:
    """Modes of the report's arms that satisfy `wanted`."""
    used = dict.fromkeys(arm.mode_ref for group in facts.groups for arm in group.arms)
    modes = facts.resolved.modes
    return [name for name in used if name in modes and wanted(modes[name])]


def _encrypts(mode: EncryptionModeSpec) -> bool:
    return mode.proxy is not None and mode.proxy.encrypts


def _steps(facts: Facts) -> Iterable[LayerStep]:
    return (step for group in facts.groups for step in group.steps)
