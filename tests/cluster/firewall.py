"""Our packet filter rules, and removing them and those that kubelet and kube-proxy leave behind.

All chains of theirs begin with ``KUBE-``, ours with ``ENCBENCH-``. One ``iptables-restore``
transaction per table deletes the jumps into them, empties and removes them. Where the rules live in
nftables, a table that was not there before is removed as well.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .command import capture
from .console import ClusterError

FAMILIES: Final = {"iptables": "ip", "ip6tables": "ip6"}
_OURS: Final = ("KUBE-", "ENCBENCH-")
_JUDGED: Final = "ENCBENCH-JUDGED"
_IPV6: Final = Path("/proc/sys/net/ipv6")


def tables(family: str) -> set[str]:
    """The tables that exist, for ``iptables`` or ``ip6tables``."""
    return set(re.findall(r"^\*(\S+)", _saved(family), re.MULTILINE))


def judge(bridge: str, queue: int, inside: Sequence[str] = ()) -> None:
    """Put the first packet of each connection that crosses a bridge into a queue; again is no harm.

    That is what goes from pod to pod and from pods to the node. Of kube-proxy's rules, some in
    ``nat`` have already put a pod's address in place of a service's, and no accepting one has come
    yet, because it is the table ``mangle``. Pods have IPv6 addresses of their links alone, which no
    policy names and nothing needs. ``inside`` goes before each command, so that it runs on a node.
    """
    verdicts = {"iptables": f"NFQUEUE --queue-num {queue}"}
    if _IPV6.exists():
        verdicts["ip6tables"] = "DROP"
    for family, verdict in verdicts.items():
        if f":{_JUDGED} " not in capture([*inside, f"{family}-save", "--table=mangle"]):
            rules = judging(bridge, verdict)
            capture([*inside, f"{family}-restore", "--noflush", "--wait", "5"], stdin=rules)


def judging(bridge: str, verdict: str) -> str:
    """The ``iptables-restore`` input, which is taken whole or not at all."""
    return "\n".join(
        [
            "*mangle",
            f":{_JUDGED} - [0:0]",
            f"-A {_JUDGED} -m conntrack ! --ctstate NEW -j RETURN",
            f"-A {_JUDGED} -j {verdict}",
            *(f"-A {chain} -i {bridge} -j {_JUDGED}" for chain in ("FORWARD", "INPUT")),
            "COMMIT\n",
        ]
    )


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
        names = [line[1:].split()[0] for line in lines if line.startswith(":")]
        chains = [name for name in names if name.startswith(_OURS)]
        jumps = [
            line
            for line in lines
            if line.startswith("-A ")
            and not line.removeprefix("-A ").startswith(_OURS)
            and re.search(rf" -[jg] ({'|'.join(_OURS)})", line)
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
