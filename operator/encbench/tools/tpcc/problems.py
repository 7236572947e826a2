"""Problems of a TPC-C workload, found before anything starts.

The API refuses errors within one object. The checks here need the client's own list of properties,
or the database that it will drive.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, WORKLOAD
from encbench.api.tpcc import TERMINALS_PER_WAREHOUSE, Tpcc
from encbench.api.workload import WorkloadSpec
from encbench.core.columns import selection
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import facts
from encbench.tools import printed
from encbench.tools.tpcc import jdbc, memory
from encbench.tools.tpcc.props import OWN_OPTIONS, Kind, kind_of

_WHOLE, _LARGEST = re.compile("[0-9]{1,10}"), 2**31 - 1
_EACH_SECOND: dict[Kind, tuple[str, int]] = {
    "own": ("encbench's own client", 250),
    "5": ("BenchmarkSQL", 250),
}
"""Clients with a status line a second, and the bytes of that: with a line of JSON for programs, or
with a backspace for each letter."""

MOST_WAREHOUSES = 70_000
"""Each has 30,000 payments when it is loaded, and their key, hist_id, is an integer of 32 bits: it
ends within warehouse 71,583, and a run needs numbers as well."""


def problems(workload: WorkloadSpec, _: str | None, blocks: Blocks) -> Iterator[Problem]:
    """Too long or too large a load, too little memory, and properties that our own client refuses.

    Builds of BenchmarkSQL differ, and silently accept unknown properties.
    """
    yield from memory.problems(workload)
    tpcc = workload.tpcc_test
    # The API takes more, because it took them in a release.
    if tpcc.own_load and tpcc.warehouses > MOST_WAREHOUSES:
        text = (
            f"tpcc.warehouses: {tpcc.warehouses} are more than encbench's own client can load, "
            "because the numbers of the payments in bmsql_history would exceed 32 bits: write "
            f"{MOST_WAREHOUSES} at most"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    # The API took these in that release as well.
    if tpcc.paced and workload.client.replicas > 1:
        text = (
            "replicas of BenchmarkSQL 6 that key and think would each offer the whole load, "
            f"because each has all {TERMINALS_PER_WAREHOUSE} terminals a warehouse: write "
            f"client.replicas: 1, not {workload.client.replicas}"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if kind_of(tpcc) in _EACH_SECOND:
        yield from printed.problems(workload, blocks, *_EACH_SECOND[kind_of(tpcc)])
    for name, value in tpcc.options.items():
        if name in OWN_OPTIONS and tpcc.own_load and (wrong := _wrong_value(name, value)):
            text = f"tpcc.options {name}: {wrong}, not {value!r}"
            yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
        elif name not in OWN_OPTIONS and kind_of(tpcc) == "own":
            close = get_close_matches(name, OWN_OPTIONS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(OWN_OPTIONS)}"
            text = f"tpcc.options {name} is unknown to encbench's own client: {hint}"
            yield Problem(WORKLOAD, Reason.SETTING_UNKNOWN, text)


def _wrong_value(option: str, value: str) -> str | None:
    """What our own client takes in its place."""
    if option != "deadlineSeconds":
        return None if value in ("true", "false") else "write true or false"
    if _WHOLE.fullmatch(value) and 1 <= int(value) <= _LARGEST:
        return None
    return f"write whole seconds from 1 to {_LARGEST}"


def pair_problems(
    workload: WorkloadSpec, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> Iterator[Problem]:
    """Problems of the workload together with its database."""
    tpcc = workload.tpcc_test
    wanted = facts(instance.engine).driver
    if tpcc.driver is not None and jdbc.DRIVERS[tpcc.driver].protocol != wanted:
        fitting = [name for name, known in jdbc.DRIVERS.items() if known.protocol == wanted]
        advice = f"leave it out, or write {' or '.join(fitting)}"
        text = f"tpcc.driver {tpcc.driver} does not support {instance.engine}: {advice}"
        yield Problem(WORKLOAD, Reason.DRIVER_UNSUPPORTED, text)
    yield from _columns(tpcc, mode)
    yield from _unlike_statements(tpcc, instance.engine, mode)
    if not workload.reports_sessions and mode.in_transit is not None:
        text = (
            "BenchmarkSQL does not report what its sessions negotiated, so inTransit cannot be "
            f"proven: {own_client(tpcc)}, or use a mode without inTransit"
        )
        yield Problem(WORKLOAD, Reason.MODE_UNPROVABLE, text)
    if tpcc.full_check is not None and instance.is_external:
        text = (
            "an external database has no agent that could check its tables: leave tpcc.fullCheck "
            "out, and run tpcc check-all from the client's image once the campaign has ended"
        )
        yield Problem(WORKLOAD, Reason.EXTERNAL_UNSUPPORTED, text)


def own_client(tpcc: Tpcc) -> str:
    """What to write in place of BenchmarkSQL. Its image has no client of encbench."""
    dialect = "" if tpcc.dialect == 5 else ", and write dialect: 5"
    return f"leave out tpcc.benchmarksql and client.image{dialect} to use encbench's own client"


def _columns(tpcc: Tpcc, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Encrypted columns reach the client by JDBC, where a driver has to decrypt them."""
    if mode.enclave is not None:
        text = (
            "encrypted column types are for integers and texts, and TPC-C's tables have decimals "
            "and timestamps as well: leave columns out of the mode, or write a workload with "
            "sysbench.script: enclave_point"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    encrypts = mode.proxy is not None and mode.proxy.encrypts
    if encrypts and mode.driver is None:
        text = (
            "TPC-C's transactions cannot work with the ciphertext of encrypted columns: write "
            "driver: {encrypting: {}} into the mode, or columns.ratio: 0; sysbench takes no driver "
            "and needs a mode and a matrix entry of its own"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    if mode.driver is not None and mode.driver.encrypting is not None and tpcc.benchmarksql:
        text = (
            f"BenchmarkSQL's image lacks encbench's encrypting driver: {own_client(tpcc)}, which "
            "has it; or put the driver's jar at a URL or on a claim, and name it in driver.jar "
            "with class io.encbench.jdbc.EncbenchDriver"
        )
        yield Problem(WORKLOAD, Reason.DRIVER_UNSUPPORTED, text)
    own = mode.driver.jar if mode.driver is not None else None
    if own is not None and "{mek}" in own.url_template and tpcc.benchmarksql is not None:
        text = (
            "BenchmarkSQL writes its URL into its log, and with {mek} in driver.jar.urlTemplate "
            f"the key as well: {own_client(tpcc)}, which shows no URL, or write {{mekFile}} if "
            "the driver reads the key from a file"
        )
        yield Problem(WORKLOAD, Reason.DRIVER_UNSUPPORTED, text)
    if mode.proxy is not None:
        yield from selection.problems("tpcc", mode.proxy)


def _unlike_statements(tpcc: Tpcc, engine: str, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Lean statements that an arm with the user's own driver would send otherwise than the others.

    Our client asks MariaDB to return the row that a DELETE takes if the URL is one of MariaDB's
    driver, and sends two statements in its place if not.
    """
    own = mode.driver.jar if mode.driver is not None else None
    plain = tpcc.sent != "lean" or tpcc.options.get("plainStatements") == "true"
    if own is None or facts(engine).tpcc["own"] != "mariadb" or plain:
        return
    inner = own.url_template.removeprefix(jdbc.ENCRYPTING_PREFIX)
    if inner.startswith("jdbc:mariadb:") != (jdbc.driver(engine, tpcc.driver).scheme == "mariadb"):
        text = (
            "lean statements on MariaDB depend on whether the URL begins with jdbc:mariadb:, and "
            "driver.jar.urlTemplate differs in this from the driver of arms without it: write "
            "tpcc.options: {plainStatements: 'true'}, with which every arm sends the same"
        )
        yield Problem(WORKLOAD, Reason.DRIVER_UNSUPPORTED, text)
