"""What is wrong with a sysbench workload, found before anything starts.

What one field can show to be wrong the API refuses before; here is what needs sysbench's own list
of options or the script's text. sysbench itself refuses an unknown option only where the script
declares options; a script without any takes every option and ignores it, and the run measures
something else than it says.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import OWNED_OPTIONS, Sysbench, WorkloadSpec
from encbench.core.columns import selection
from encbench.tools.sysbench import builtin, memory, script
from encbench.tools.sysbench.builtin import Kind

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_NOT_OFFERED = re.compile("|".join(OWNED_OPTIONS))
_FLAGS = ("on", "off", "true", "false", "1", "0")


def problems(workload: WorkloadSpec, script_text: str | None) -> list[str]:
    """Each problem in one sentence that says what to write instead.

    `script_text` is the script that `scriptConfigMapRef` names, None for a built-in one.
    """
    sysbench = workload.sysbench_test
    if sysbench.script is not None:
        return list(_options(sysbench, builtin.SCRIPTS[sysbench.script], sysbench.script))
    return list(_script(sysbench, script_text)) if script_text is not None else []


def pair_problems(
    workload: WorkloadSpec, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> list[str]:
    """What the workload and the database that it is to drive are wrong in together."""
    found = memory.pair_problems(workload, instance, mode)
    return [*found, *_pair(workload.sysbench_test, mode)]


def _pair(sysbench: Sysbench, mode: EncryptionModeSpec) -> Iterator[str]:
    if mode.driver is not None:
        yield (
            "sysbench does not use JDBC: leave driver out of the mode; with columns sysbench gets "
            "ciphertext, as in the published study"
        )
    columns = mode.columns
    if columns is None:
        return
    if sysbench.script_config_map_ref is None:
        yield from selection.problems("sysbench", columns, sysbench.tables)
    elif columns.ratio:
        yield (
            "which columns a script of your own has nobody has listed: write columns.list instead "
            "of columns.ratio, such as [sbtest1.c]"
        )


def _script(sysbench: Sysbench, text: str) -> Iterator[str]:
    ref = sysbench.script_config_map_ref
    name = ref.key if ref is not None else "the script"
    declared = script.read(text)
    if "prepare" not in declared.commands:
        yield (
            f"{name} defines no command prepare: write function prepare() or an entry prepare in "
            "sysbench.cmdline.commands, or build on oltp_common by require"
        )
    if not declared.functions & {"event", "thread_run"}:
        yield f"{name} defines nothing to run: write function event()"
    if declared.replaces_reports:
        yield (
            f"{name} sets sysbench.hooks.report_*, after which sysbench's reports cannot be read: "
            "leave the hooks out"
        )
    if declared.old_interface:
        yield (
            f"{name} connects by db_connect(), and what such a session negotiated cannot be asked: "
            "write sysbench.sql.driver():connect()"
        )
    missing = {"tables", "table_size"} - declared.options
    if missing:
        yield (
            f"{name} does not declare {' and '.join(sorted(missing))}, which the operator sets "
            "from sysbench.tables and sysbench.tableSize: declare both in sysbench.cmdline.options"
        )
    known: dict[str, Kind] = dict.fromkeys(declared.options, "text")
    yield from _options(sysbench, known, name)


def _options(sysbench: Sysbench, known: dict[str, Kind], name: str) -> Iterator[str]:
    taken = {**builtin.GENERAL, **known}
    for option, value in sysbench.options.items():
        own = option.replace("-", "_")
        if own in builtin.OWNED:
            yield f"sysbench.options {option} is not a workload's to set: {builtin.OWNED[own]}"
        elif own not in taken:
            yield f"sysbench.options {option} is unknown to {name}{_advice(own, taken)}"
        elif wrong := _wrong_value(own, taken[own], value):
            yield f"sysbench.options {option}: {wrong}, not {value!r}"


def _advice(option: str, taken: dict[str, Kind]) -> str:
    usable = [name for name in taken if not _NOT_OFFERED.fullmatch(name)]
    close = get_close_matches(option, usable, n=1)
    if close:
        return f": did you mean {close[0].replace('_', '-')}?"
    listed = ", ".join(sorted(name.replace("_", "-") for name in usable))
    return f": it takes {listed}"


def _wrong_value(option: str, kind: Kind, value: str) -> str | None:
    choices = builtin.CHOICES.get(option)
    if choices is not None and value not in choices:
        return f"write {' or '.join(choices)}"
    if kind == "number" and not _NUMBER.fullmatch(value):
        return "write a number"
    if kind == "flag" and value not in _FLAGS:
        return "write on or off"
    if not value or any(ord(letter) < 32 for letter in value):
        return "write a value on one line"
    return None
