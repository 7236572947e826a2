"""encbench's own scripts for encrypted column types: options, files, what a mode adds.

The three scripts are one file, `enclave.lua`, which the pod carries as `session.lua` (see `jobs`).
Every arm runs it. In a mode without encrypted types it encrypts nothing, and gets no key.
"""

from collections.abc import Iterator
from pathlib import Path

from encbench.api.columns import Columns
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, WORKLOAD
from encbench.api.workload import Sysbench
from encbench.core.columns import enclave, layout
from encbench.core.connection import Connection
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import facts
from encbench.tools.sysbench.builtin import Kind, prepares

SCRIPT = "enclave.lua"
FILES = (SCRIPT, "enclave_cipher.lua")
OPTIONS: dict[str, Kind] = {"create_secondary": "flag", "lookup": "text", "range_size": "number"}
"""Those that a workload may set."""
CHOICES = {"lookup": enclave.LOOKUPS}
STATEMENTS = {"point": (1, 0), "range": (1, 0), "write": (4, 2)}
"""What each thread prepares: statements for each table, and in addition."""
RANGE_SIZE = "100"
"""The script's own."""
LARGEST = 2**31 - 1
"""What `enc_int4` holds, and so a sum of encrypted values."""
FEWEST_ROWS = 1000
"""Of fewer than about 250 rows, or 500 in no order, PostgreSQL reads all for a range of 100."""
PARTS = 10
"""A range by a plain key may be one part of a table of so many. For a quarter of the rows, in no
order, PostgreSQL was seen to read all of a table of 1,000 or 600,000. By its computed costs it may
do so for a tenth of 2 million, and never for a hundredth."""


def texts() -> dict[str, str]:
    """The files by name."""
    return {name: Path(__file__).with_name(name).read_text() for name in FILES}


def arguments(sysbench: Sysbench, connection: Connection) -> list[str]:
    """Options that follow from script and mode. They name the key's file and never the key."""
    workload, own = sysbench.enclave_workload, connection.enclave
    if workload is None:
        return []
    if own is None:
        return [f"--workload={workload}", "--encrypted=none"]
    return [
        f"--workload={workload}",
        f"--encrypted={','.join(own.columns)}",
        f"--index={own.index}",
        f"--key-file={layout.MEK_FILE}",
    ]


def problems(
    sysbench: Sysbench, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> Iterator[Problem]:
    """What is wrong with script, engine and mode together."""
    script, columns = sysbench.script, mode.enclave
    package = facts(instance.engine).package
    if sysbench.enclave_workload is not None and package != "postgresql":
        text = (
            f"sysbench.script {script} runs on PostgreSQL only: write engine: postgresql, or a "
            "script of sysbench's own such as oltp_point_select"
        )
        yield Problem(WORKLOAD, Reason.MODE_UNSUPPORTED, text)
    if sysbench.enclave_workload == "write" and enclave.lookup(sysbench) != "id":
        text = (
            f"sysbench.options lookup: {script} finds its rows by id: leave lookup out, or write "
            "script: enclave_point or enclave_range"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if sysbench.enclave_workload is not None and not prepares(sysbench):
        text = (
            f"sysbench.options db-ps-mode: {script} reads results that only prepared statements "
            "have: leave db-ps-mode out"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if sysbench.enclave_workload == "range" and _range_size(sysbench) == 0:
        text = (
            f"sysbench.options range-size: {script} reads a sum, and a range without a row has "
            "none: write 1 or more, or leave range-size out"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if sysbench.enclave_workload is not None and not enclave.has_secondary(sysbench):
        yield from _without_secondary(sysbench, columns)
    if columns is None:
        return
    yield from enclave.problems(columns)
    if sysbench.enclave_workload is None:
        text = (
            "encrypted column types need a client that encrypts: write sysbench.script: "
            "enclave_point, enclave_range or enclave_write, or leave columns out of the mode"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
        return
    own = enclave.encrypted(columns)
    if sysbench.enclave_workload == "range" and "k" in own:
        yield from _too_large(sysbench)
    if sysbench.table_size < FEWEST_ROWS:
        yield _too_small(sysbench)
    elif sysbench.enclave_workload == "range" and enclave.lookup(sysbench) not in own:
        yield from _too_wide(sysbench)


def _without_secondary(sysbench: Sysbench, columns: Columns | None) -> Iterator[Problem]:
    """What asks for the index on k, which the workload leaves out."""
    if sysbench.enclave_workload != "write" and enclave.lookup(sysbench) == "k":
        text = (
            f"sysbench.options create-secondary: {sysbench.script} finds its rows by k, which has "
            "no index without it: leave create-secondary out, or lookup"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if columns is None or columns.boundary.index != "PageBatch":
        return
    if {*enclave.LOOKUPS} & {*enclave.encrypted(columns)} == {"k"}:
        text = (
            "columns.enclave.index: PageBatch batches comparisons of encrypted indexes, and the "
            "only one would be k's: leave create-secondary out of sysbench.options, or leave index "
            "out"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)


def _too_small(sysbench: Sysbench) -> Problem:
    """Tables whose index the proof's plans would not use, whatever is encrypted."""
    text = (
        f"sysbench.tableSize: PostgreSQL rightly reads a table of {sysbench.table_size} rows "
        "without its index, whose use is part of the proof of encrypted types: write "
        f"{FEWEST_ROWS} at least"
    )
    return Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _too_wide(sysbench: Sysbench) -> Iterator[Problem]:
    """A range that the workload may read without the index that the proof's plans use.

    They are of a range of 100, because workloads that differ in theirs share a testbed. By an
    encrypted key PostgreSQL expects few rows of any range.
    """
    fits, rows = sysbench.table_size // PARTS, _range_size(sysbench)
    if rows is not None and rows > fits:
        text = (
            f"sysbench.options range-size: for {rows} of {sysbench.table_size} rows PostgreSQL may "
            "rightly read the table without its index, whose use is part of the proof of encrypted "
            f"types: write range-size: '{fits}' or less, or a larger tableSize"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _too_large(sysbench: Sysbench) -> Iterator[Problem]:
    """A sum of a range that encrypted integers do not hold. A row's k is at most `tableSize`."""
    fits, rows = LARGEST // sysbench.table_size, _range_size(sysbench)
    if rows is not None and rows > fits:
        text = (
            f"sysbench.options range-size: k is up to tableSize ({sysbench.table_size}), so that a "
            f"sum over {rows} rows may exceed the {LARGEST} that an encrypted k holds: write "
            f"range-size: '{fits}' or less, a smaller tableSize, or a mode whose k is plain"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _range_size(sysbench: Sysbench) -> int | None:
    """The rows of a range; None where the option is no number, which is a problem of its own."""
    value = sysbench.option("range-size", RANGE_SIZE).partition(".")[0]
    return int(value) if value.isdecimal() else None
