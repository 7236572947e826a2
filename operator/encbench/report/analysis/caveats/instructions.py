"""Caveats about processors: what they compute in software, on either side of a connection."""

from collections.abc import Callable, Iterator

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.text.words import listed


def no_aes(facts: Facts) -> Iterator[Caveat]:
    """A CPU that computes AES in software, of a database or a client that encrypts by it."""
    databases = {
        machine.node or "a node"
        for s in _sources(facts, _has_aes_at_databases)
        if (machine := s.record.machine).cpu_flags and "aes" not in machine.cpu_flags
    }
    clients = {
        client.node or "a node"
        for s in _sources(facts, _has_aes_at_clients)
        for client in s.record.clients
        if client.aes is False
    }
    sides = ((databases, "databases"), (clients, "clients that encrypt"))
    where = [f"{listed(sorted(nodes))} ({of})" for nodes, of in sides if nodes]
    if where:
        yield serious(
            title="No AES instructions",
            text=f"The CPU of {' and of '.join(where)} lists no aes flag; AES is many times "
            "slower there than on a current server.",
        )


def without_openssl(facts: Facts) -> Iterator[Caveat]:
    """A cipher of gocryptfs that its users have faster; the agent gives an ARM CPU by numbers."""
    nodes = {
        machine.node or "a node"
        for s in _sources(facts, _has_xchacha)
        if ((machine := s.record.machine).cpu_model or "").startswith("aarch64")
    }
    if nodes:
        yield note(
            title="gocryptfs without OpenSSL",
            text=f"On {listed(sorted(nodes))}, of arm64, gocryptfs computed XChaCha20-Poly1305 in "
            "Go, unless the image is one of yours: encbench's is built without OpenSSL. Builds "
            "with OpenSSL take that cipher from it on arm64, because it is faster there, so the "
            "mode costs their users less.",
        )


def chacha_in_java(facts: Facts) -> Iterator[Caveat]:
    """A suite that encbench's TPC-C client computes by Java 17, which has no fast code for it."""
    resolved = facts.resolved
    pairs = {
        (arm.mode_ref, group.workload)
        for group in facts.groups
        for arm in group.arms
        if _has_chacha(resolved.modes[arm.mode_ref])
        and resolved.workloads[group.workload].tpcc is not None
    }
    if pairs:
        modes, workloads = (listed(sorted(set(names))) for names in zip(*pairs, strict=True))
        yield note(
            title="ChaCha20 in Java",
            text=f"Under {modes} the clients of {workloads} computed ChaCha20-Poly1305 by Java 17, "
            "unless the image is one of yours. It takes several times as long there as AES-GCM, "
            "and less than twice as long by OpenSSL, so that other clients pay less for this "
            "suite. Compare suites under sysbench.",
        )


def _sources(
    facts: Facts, wanted: Callable[[EncryptionModeSpec], bool]
) -> Iterator[ProvenanceSource]:
    """The provenance of trials with such a mode."""
    modes = {
        (group.instance, group.workload, arm.name): facts.resolved.modes[arm.mode_ref]
        for group in facts.groups
        for arm in group.arms
    }
    uids = {
        trial.uid
        for trial in facts.trials
        if (mode := modes.get((trial.instance, trial.workload, trial.arm))) is not None
        and wanted(mode)
    }
    return (source for source in facts.sources if source.trials & uids)


def _has_aes_at_databases(mode: EncryptionModeSpec) -> bool:
    """Whether the server, its file system or its proxy encrypts by AES.

    No class says by which cipher it encrypts; that of LUKS is AES if no other is named.
    """
    tls, files, columns = mode.in_transit, mode.gocryptfs, mode.columns
    return (
        mode.tde is not None
        or mode.storage_class is not None
        or (files is not None and "AES" in files.cipher)
        or (tls is not None and "AES" in tls.cipher_suite)
        or (columns is not None and columns.encrypts and "AES" in columns.algorithm)
    )


def _has_xchacha(mode: EncryptionModeSpec) -> bool:
    return mode.gocryptfs is not None and mode.gocryptfs.cipher == "XChaCha20-Poly1305"


def _has_chacha(mode: EncryptionModeSpec) -> bool:
    return mode.in_transit is not None and "CHACHA20" in mode.in_transit.cipher_suite


def _has_aes_at_clients(mode: EncryptionModeSpec) -> bool:
    tls, driver, columns = mode.in_transit, mode.driver, mode.columns
    if mode.enclave is not None or (tls is not None and "AES" in tls.cipher_suite):
        return True
    if driver is None or (columns is not None and "AES" not in columns.algorithm):
        return False
    # A driver of the user's own encrypts only what it gets a key for.
    return driver.jar is None or driver.jar.key_secret_ref is not None or columns is not None
