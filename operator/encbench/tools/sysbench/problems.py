"""Problems of a sysbench workload, found before anything starts.

The API refuses errors within one field. The checks here need sysbench's own list of options or the
script's text. sysbench itself refuses an unknown option only if the script declares options. A
script without any accepts every option and ignores it, so the run does not measure what the
workload describes.
"""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import count

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import CONFIG_MAP, ENCRYPTION_MODE, WORKLOAD
from encbench.api.workload import FLAG_OFF, FLAG_ON, OWNED_OPTIONS, Sysbench, WorkloadSpec
from encbench.core.columns import selection
from encbench.core.hints import MOST_HINTS, closest, offered
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import facts
from encbench.tools import printed
from encbench.tools.sysbench import builtin, enclave, memory, script
from encbench.tools.sysbench.builtin import Kind

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_INTEGER = re.compile(r"[0-9]+")
_NOT_OFFERED = re.compile("|".join(OWNED_OPTIONS))
LARGEST_SCRIPT = 128 * 1024
"""Letters of a script: the check reads all of it between two looks at the cluster."""
_DELETE_INSERT = ("oltp_read_write", "oltp_write_only")
"""Scripts that delete a row and insert one with its id."""
_LINE, _QUEUE_LINE = 160, 52
"""Bytes of the report of a second, and of the one that a rate adds, with large numbers."""


def problems(workload: WorkloadSpec, script_text: str | None, blocks: Blocks) -> Iterator[Problem]:
    """Problems of the load's length, of the options, and of `script_text`, the user's script."""
    sysbench = workload.sysbench_test
    queue = 0 if workload.load.rate is None else _QUEUE_LINE
    yield from printed.problems(workload, blocks, "sysbench", _LINE + queue)
    if sysbench.script is not None:
        is_own = sysbench.enclave_workload is not None
        options = enclave.OPTIONS if is_own else builtin.SCRIPTS[sysbench.script]
        yield from _options(sysbench, options, sysbench.script)
        yield from _drawn_ids(sysbench)
    elif script_text is not None:
        name = sysbench.script_config_map_ref.key if sysbench.script_config_map_ref else ""
        if len(script_text) > LARGEST_SCRIPT:
            text = (
                f"{name} has more than the {LARGEST_SCRIPT:,} letters that a script may have: have "
                "prepare() make its data instead"
            )
            yield Problem(CONFIG_MAP, Reason.SCRIPT_INVALID, text)
            return
        declared = script.read(script_text)
        for text in _script(name, declared):
            yield Problem(CONFIG_MAP, Reason.SCRIPT_INVALID, text)
        known: dict[str, Kind] = dict.fromkeys(declared.options, "text")
        yield from _options(sysbench, known, name)


def pair_problems(
    workload: WorkloadSpec, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> Iterator[Problem]:
    """Problems of the workload together with a mode."""
    yield from memory.problems(workload, mode)
    sysbench, columns = workload.sysbench_test, mode.proxy
    yield from enclave.problems(sysbench, instance, mode)
    if facts(instance.engine).driver == "mysql":
        yield from _taken_ids(workload)
    elif sysbench.script is not None and sysbench.flag("secondary", default=False):
        text = (
            "sysbench.options secondary: its tables have an index in MySQL's words, which "
            "PostgreSQL does not take: leave secondary out"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)
    if mode.driver is not None:
        text = (
            "sysbench does not use JDBC: leave driver out of the mode, or give TPC-C and sysbench "
            "modes and matrix entries of their own; with columns, sysbench reads ciphertext"
        )
        yield Problem(ENCRYPTION_MODE, Reason.DRIVER_UNSUPPORTED, text)
    if columns is None:
        return
    if sysbench.script_config_map_ref is None:
        yield from selection.problems("sysbench", columns, sysbench.tables)
    elif columns.ratio:
        text = (
            "encbench does not know the columns of a script of your own: write columns.list "
            "instead of columns.ratio, such as [sbtest1.c]"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)


def _drawn_ids(sysbench: Sysbench) -> Iterator[Problem]:
    """Ids that sysbench draws: unique in one process alone, and others each time, with any seed.

    They have 32 bits: two runs of 65,536 rows each have one in common on average.
    """
    if sysbench.script == "oltp_insert" and not sysbench.flag("auto-inc", default=True):
        text = (
            "sysbench.options auto-inc: without it each client of oltp_insert draws its ids by "
            "chance, whatever the seed, so that no two trials insert the same rows and some ids "
            "exist already: leave auto-inc out"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _taken_ids(workload: WorkloadSpec) -> Iterator[Problem]:
    """A row that two threads delete before both insert it, which ends sysbench.

    In a transaction the second thread waits, and then deletes what the first has inserted. With
    PostgreSQL sysbench counts the error and goes on.
    """
    sysbench, count = workload.sysbench_test, workload.sysbench_test.option("delete-inserts", "1")
    threads = max(workload.load.concurrency)
    if sysbench.script not in _DELETE_INSERT or threads == 1:
        return
    inserts = not _NUMBER.fullmatch(count) or float(count) >= 1
    is_key = not sysbench.flag("secondary", default=False)
    if sysbench.flag("skip-trx", default=False) and inserts and is_key:
        text = (
            f"sysbench.options skip-trx: {sysbench.script} deletes a row and inserts it again, and "
            "outside of transactions two threads may both insert it, which ends sysbench: leave "
            "skip-trx out, or write delete-inserts: '0' or load.concurrency: [1]"
        )
        yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _script(name: str, declared: script.Script) -> Iterator[str]:
    if "prepare" not in declared.commands:
        yield (
            f"{name} defines no command prepare: write function prepare() or an entry prepare in "
            "sysbench.cmdline.commands, or require oltp_common"
        )
    if "event" not in declared.functions:
        yield f"{name} lacks event(), without which sysbench runs no script: write function event()"
    if declared.replaces_reports:
        yield (
            f"{name} sets sysbench.hooks.report_*, which make sysbench's reports unreadable: leave "
            "the hooks out"
        )
    if declared.old_interface:
        yield (
            f"{name} connects by db_connect(), whose sessions do not report what they negotiated: "
            "write sysbench.sql.driver():connect()"
        )
    missing = {"tables", "table_size"} - declared.options
    if missing:
        yield (
            f"{name} does not declare {' and '.join(sorted(missing))}, which the operator sets "
            "from sysbench.tables and sysbench.tableSize: declare both in sysbench.cmdline.options"
        )


def _options(sysbench: Sysbench, known: Mapping[str, Kind], name: str) -> Iterator[Problem]:
    taken, unknown = {**builtin.GENERAL, **known}, count()
    spelt: dict[str, str] = {}
    for option, value in sysbench.options.items():
        own = option.replace("-", "_")
        first = spelt.setdefault(own, option)
        if own in builtin.OWNED:
            reason = Reason.SETTING_RESERVED
            text = f" cannot be set in a workload: {builtin.OWNED[own]}"
        elif own not in taken:
            advice = _advice(own, taken) if next(unknown) < MOST_HINTS else ""
            reason, text = Reason.SETTING_UNKNOWN, f" is unknown to {name}{advice}"
        elif first != option:
            reason = Reason.SETTING_INVALID
            text = f" is {first} in another spelling: write one of them"
        elif wrong := _wrong_value(own, taken[own], value):
            reason, text = Reason.SETTING_INVALID, f": {wrong}, not {value!r}"
        else:
            continue
        yield Problem(WORKLOAD, reason, f"sysbench.options {option}{text}")


def _advice(option: str, taken: dict[str, Kind]) -> str:
    usable = offered(name for name in taken if not _NOT_OFFERED.fullmatch(name))
    if close := closest(option, usable):
        return f": did you mean {close.replace('_', '-')}?"
    listed = ", ".join(sorted(name.replace("_", "-") for name in usable))
    return f": it takes {listed}"


def _wrong_value(option: str, kind: Kind, value: str) -> str | None:
    choices = {**builtin.CHOICES, **enclave.CHOICES}.get(option)
    if choices is not None and value not in choices:
        return f"write {' or '.join(choices)}"
    if kind in ("number", "integer"):
        return _wrong_number(option, kind, value)
    if kind == "flag" and value not in (*FLAG_ON, *FLAG_OFF):
        return "write on or off"
    if not value or any(ord(letter) < 32 for letter in value):
        return "write a value on one line"
    return None


def _wrong_number(option: str, kind: Kind, value: str) -> str | None:
    form, what = (_INTEGER, "whole number") if kind == "integer" else (_NUMBER, "number")
    lowest, highest = builtin.RANGES.get(option, (0, math.inf))
    if form.fullmatch(value) and lowest <= float(value) <= highest:
        return None
    limits = f" from {lowest} to {highest}" if option in builtin.RANGES else ""
    return f"write a {what}{limits}"
