"""The cluster's network, which never leaves the machine.

Pods sit on one bridge that carries the whole pod range; they get routes to the pod and service
ranges and no default route. A service address without an endpoint is not rewritten by kube-proxy
and would follow the host's default route; a second bridge without ports takes the whole service
range instead. The node's own address is the pod bridge's.

Each further node has two such bridges in its own network namespace, and its pod bridge is a port of
the first node's. So all pods are on one Ethernet, as if on one switch, and no routes are needed.
"""

import ipaddress
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from .command import capture
from .console import ClusterError

BRIDGE: Final = "encbench0"
SERVICE_BRIDGE: Final = "encbench-svc"
POD_RANGE: Final = "10.244.0.0/16"
SERVICE_RANGE: Final = "10.96.0.0/16"
NODE_ADDRESS: Final = "10.244.0.1"
"""The first node's, and so the API server's."""
API_SERVICE_ADDRESS: Final = "10.96.0.1"
DNS_ADDRESS: Final = "10.96.0.10"
DNS_DOMAIN: Final = "cluster.local"

_UPLINK: Final = "uplink"
"""What connects a further node's bridge, by its name on that node."""
_SYSCTLS: Final = {
    "net/ipv4/ip_forward": "1",
    "net/bridge/bridge-nf-call-iptables": "1",
    "net/bridge/bridge-nf-call-ip6tables": "1",
}


def check() -> None:
    """Refuse to start where another network already uses our ranges."""
    ours = [ipaddress.ip_network(POD_RANGE), ipaddress.ip_network(SERVICE_RANGE)]
    for route in _ip("route", "show"):
        destination, device = route["dst"], route.get("dev")
        if destination == "default" or device in (BRIDGE, SERVICE_BRIDGE):
            continue
        if any(ipaddress.ip_network(destination, strict=False).overlaps(net) for net in ours):
            raise ClusterError(
                f"the route to {destination} on {device} overlaps the cluster's ranges "
                f"{POD_RANGE} and {SERVICE_RANGE}"
            )


def create(address: str = NODE_ADDRESS, inside: Sequence[str] = ()) -> None:
    """Make a node's bridges, their addresses and routes, and let the kernel forward.

    ``inside`` goes before each command, so that it runs on that node.
    """
    links = _links(inside)
    for bridge in (BRIDGE, SERVICE_BRIDGE):
        if bridge not in links:
            # Without an address of its own it takes that of a port, and a new one with each pod.
            own = ["address", _ethernet(address)] if bridge == BRIDGE else []
            capture([*inside, "ip", "link", "add", bridge, *own, "type", "bridge"])
        capture([*inside, "ip", "link", "set", bridge, "up"])
    prefix = POD_RANGE.split("/")[1]
    capture([*inside, "ip", "address", "replace", f"{address}/{prefix}", "dev", BRIDGE])
    to_services = ("route", "replace", SERVICE_RANGE, "dev", SERVICE_BRIDGE, "src", address)
    capture([*inside, "ip", *to_services])
    for name, value in _SYSCTLS.items():
        setting = Path("/proc/sys") / name
        if not setting.exists():
            capture(["modprobe", "br_netfilter"])
        capture([*inside, "tee", str(setting)], stdin=value)


def connect(number: int, process: int, inside: Sequence[str]) -> None:
    """Make the bridge of a further node a port of the first node's.

    ``process`` is one in that node's network namespace; the link goes when the namespace does.
    """
    link = f"{BRIDGE.rstrip('0')}-n{number}"
    if _UPLINK not in _links(inside):
        if link in _links():
            capture(["ip", "link", "delete", link])
        peer = ("peer", "name", _UPLINK, "netns", str(process))
        capture(["ip", "link", "add", link, "type", "veth", *peer])
    capture([*inside, "ip", "link", "set", "lo", "up"])
    capture([*inside, "ip", "link", "set", _UPLINK, "master", BRIDGE, "up"])
    capture(["ip", "link", "set", link, "master", BRIDGE, "up"])


def remove() -> None:
    """Remove both bridges and what is still attached to them; their routes go with them."""
    links = _links()
    for name, master in links.items():
        if master == BRIDGE:
            capture(["sh", "-c", 'ip link delete "$1" 2>/dev/null || true', "sh", name])
    for bridge in (BRIDGE, SERVICE_BRIDGE):
        if bridge in links:
            capture(["ip", "link", "delete", bridge])


def cni_config(data: Path, pods: ipaddress.IPv4Network) -> dict[str, Any]:
    """The CNI network: bridge with host-local addresses, the loopback plugin comes with the CRI.

    ``pods`` is the node's own part of the pod range, of which the node has the first address.
    """
    own = {"rangeStart": str(pods[2]), "rangeEnd": str(pods[-2]), "gateway": str(pods[1])}
    return {
        "cniVersion": "0.4.0",
        "name": "encbench",
        "plugins": [
            {
                "type": "bridge",
                "bridge": BRIDGE,
                "isGateway": True,
                "ipMasq": False,
                "hairpinMode": True,
                "ipam": {
                    "type": "host-local",
                    "dataDir": str(data),
                    "ranges": [[{"subnet": POD_RANGE, **own}]],
                    "routes": [{"dst": POD_RANGE}, {"dst": SERVICE_RANGE}],
                },
            }
        ],
    }


def _ethernet(address: str) -> str:
    """An Ethernet address that follows from an IP address, so that a node keeps its own."""
    return ":".join(f"{byte:02x}" for byte in (2, 0, *ipaddress.IPv4Address(address).packed))


def _links(inside: Sequence[str] = ()) -> dict[str, str | None]:
    """Every link and the bridge it is attached to."""
    found = _ip("link", "show", inside=inside)
    return {link["ifname"]: link.get("master") for link in found}


def _ip(*arguments: str, inside: Sequence[str] = ()) -> list[dict[str, Any]]:
    output = capture([*inside, "ip", "-json", *arguments])
    found: list[dict[str, Any]] = json.loads(output or "[]")
    return found
