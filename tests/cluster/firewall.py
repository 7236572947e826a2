"""Removing the packet filter rules that the kubelet and kube-proxy leave behind.

All their chains begin with ``KUBE-``. One ``iptables-restore`` transaction per table deletes the
jumps into them, empties and removes them. Where the rules live in nftables, a table that was not
there before is removed as well.
"""

import re
from typing import Final

from .command import capture
from .console import ClusterError

FAMILIES: Final = {"iptables": "ip", "ip6tables": "ip6"}
_OURS: Final = "KUBE-"


def tables(family: str) -> set[str]:
    """The tables that exist, for ``iptables`` or ``ip6tables``."""
    return set(re.findall(r"^\*(\S+)", _saved(family), re.MULTILINE))


def remove_rules(before: dict[str, list[str]] | None) -> None:
    """Remove our rules and, if it is known which tables existed before, the tables made since."""
    for family, nft_family in FAMILIES.items():
        commands = removal(_saved(family))
        if commands:
            capture([f"{family}-restore", "--noflush", "--wait", "5"], stdin=commands)
        if before is None or "nf_tables" not in _version(family):
            continue
        for table in emptied(_saved(family)) - set(before[family]):
            capture(["nft", "delete", "table", nft_family, table])


def removal(saved: str) -> str:
    """The ``iptables-restore`` input that removes our chains from what was saved."""
    commands: list[str] = []
    for table, lines in _by_table(saved).items():
        chains = [line[1:].split()[0] for line in lines if line.startswith(f":{_OURS}")]
        jumps = [
            line
            for line in lines
            if line.startswith("-A ")
            and not line.startswith(f"-A {_OURS}")
            and re.search(rf" -[jg] {_OURS}", line)
        ]
        if chains or jumps:
            commands.append(f"*{table}")
            commands += [f"-D{line.removeprefix('-A')}" for line in jumps]
            commands += [f"-F {chain}" for chain in chains]
            commands += [f"-X {chain}" for chain in chains]
            commands.append("COMMIT")
    return "".join(f"{command}\n" for command in commands)


def emptied(saved: str) -> set[str]:
    """The tables with no rule and no chain but the built-in ones."""
    return {
        table
        for table, lines in _by_table(saved).items()
        if not any(line.startswith("-A ") or re.match(r":\S+ - ", line) for line in lines)
    }


def _by_table(saved: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in saved.splitlines():
        if line.startswith("*"):
            lines = found.setdefault(line[1:], [])
        elif line.startswith((":", "-A ")):
            lines.append(line)
    return found


def _saved(family: str) -> str:
    try:
        return capture([f"{family}-save"])
    except ClusterError:  # not installed yet, or a kernel without this family
        return ""


def _version(family: str) -> str:
    return capture([family, "--version"])
