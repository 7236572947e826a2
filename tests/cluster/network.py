"""The cluster's network, which never leaves the machine.

Pods sit on one bridge that carries the whole pod range; they get routes to the pod and service
ranges and no default route. A service address without an endpoint is not rewritten by kube-proxy
and would follow the host's default route; a second bridge without ports takes the whole service
range instead. The node's own address is the pod bridge's.
"""

import ipaddress
import json
from pathlib import Path
from typing import Any, Final

from .command import capture
from .console import ClusterError

BRIDGE: Final = "encbench0"
SERVICE_BRIDGE: Final = "encbench-svc"
POD_RANGE: Final = "10.244.0.0/16"
SERVICE_RANGE: Final = "10.96.0.0/16"
NODE_ADDRESS: Final = "10.244.0.1"
API_SERVICE_ADDRESS: Final = "10.96.0.1"
DNS_ADDRESS: Final = "10.96.0.10"
DNS_DOMAIN: Final = "cluster.local"

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


def create() -> None:
    """Make both bridges, their addresses and routes, and let the kernel forward."""
    links = _links()
    for bridge in (BRIDGE, SERVICE_BRIDGE):
        if bridge not in links:
            capture(["ip", "link", "add", bridge, "type", "bridge"])
        capture(["ip", "link", "set", bridge, "up"])
    prefix = POD_RANGE.split("/")[1]
    capture(["ip", "address", "replace", f"{NODE_ADDRESS}/{prefix}", "dev", BRIDGE])
    capture(["ip", "route", "replace", SERVICE_RANGE, "dev", SERVICE_BRIDGE, "src", NODE_ADDRESS])
    for name, value in _SYSCTLS.items():
        setting = Path("/proc/sys") / name
        if not setting.exists():
            capture(["modprobe", "br_netfilter"])
        setting.write_text(value)


def remove() -> None:
    """Remove both bridges and what is still attached to them; their routes go with them."""
    links = _links()
    for name, master in links.items():
        if master == BRIDGE:
            capture(["sh", "-c", 'ip link delete "$1" 2>/dev/null || true', "sh", name])
    for bridge in (BRIDGE, SERVICE_BRIDGE):
        if bridge in links:
            capture(["ip", "link", "delete", bridge])


def cni_config(data: Path) -> dict[str, Any]:
    """The CNI network: bridge with host-local addresses, the loopback plugin comes with the CRI."""
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
                    "ranges": [[{"subnet": POD_RANGE, "gateway": NODE_ADDRESS}]],
                    "routes": [{"dst": POD_RANGE}, {"dst": SERVICE_RANGE}],
                },
            }
        ],
    }


def _links() -> dict[str, str | None]:
    """Every link and the bridge it is attached to."""
    return {link["ifname"]: link.get("master") for link in _ip("link", "show")}


def _ip(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(capture(["ip", "-json", *arguments]) or "[]")
    return found
