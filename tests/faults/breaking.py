"""What a user with too many rights does to a testbed behind the operator's back.

Before its server's first start: the testbed's pods wait at a gate, for a label that no node has, so
that its ConfigMap, Secret and StatefulSet are there and can be changed at leisure. While it runs:
by the files of the server's own container, or as the database's own root.
"""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymysql

from encbench.core.naming import credentials_name
from encbench.engines.layout import VOLUME
from tests.support.install import NAMESPACE, OPERATOR
from tests.support.kube import CommandFailed, Kube, wait_for

GATE = "encbench-tests/gate"
PLACEMENT = {"nodeSelector": {GATE: "open"}}
"""Of a template whose pods wait."""

Edit = Callable[[str], str]


@contextmanager
def gate(kube: Kube) -> Iterator[Callable[[], None]]:
    """A closed gate and what opens it; it is closed again in the end."""

    def label(change: str) -> None:
        kube.kubectl("label", "nodes", "--all", change)

    label(f"{GATE}-")
    try:
        yield lambda: label(f"{GATE}=open")
    finally:
        label(f"{GATE}-")


def bed_of(kube: Kube, campaign: str, arm: str) -> str:
    """Name of the arm's testbed, as soon as all its objects are there."""
    selector = f"encbench.io/campaign={campaign},encbench.io/arm={arm}"

    def look() -> str | None:
        # The StatefulSet is applied last.
        sets = kube.list("statefulsets", NAMESPACE, selector)
        return str(sets[0]["metadata"]["name"]) if sets else None

    return wait_for(f"the testbed of {arm}", look, 120)


def replaced(old: str, new: str) -> Edit:
    """Another text in place of one that must be there."""

    def edit(text: str) -> str:
        assert old in text, f"{old!r} is not there to be broken, but:\n{text}"
        return text.replace(old, new)

    return edit


def appended(more: str) -> Edit:
    """A few lines at the end, which count more than what stands before."""
    return lambda text: f"{text}{more}"


def edit_file(kube: Kube, testbed: str, entry: str, edit: Edit) -> None:
    """Change one file of the server's configuration, or add one."""
    found = kube.get("configmap", testbed, NAMESPACE)
    assert found is not None
    patch = json.dumps({"data": {entry: edit(found["data"].get(entry, ""))}})
    where = f"--namespace={NAMESPACE}"
    kube.kubectl("patch", "configmap", testbed, where, "--type=merge", f"--patch={patch}")


def edit_init_sql(kube: Kube, testbed: str, edit: Edit) -> None:
    """Change what the server runs at each start. The Secret is immutable: it is made anew.

    The operator may be quicker and make one with passwords of its own, which is as good.
    """

    def attempt() -> bool:
        secret = kube.get("secret", credentials_name(testbed), NAMESPACE)
        if secret is None:
            return False
        text = edit(base64.b64decode(secret["data"]["init.sql"]).decode())
        secret["data"]["init.sql"] = base64.b64encode(text.encode()).decode()
        kept = ("name", "namespace", "labels", "ownerReferences")
        secret["metadata"] = {name: secret["metadata"][name] for name in kept}
        try:
            kube.kubectl("replace", "--force", "--filename=-", stdin=json.dumps(secret))
        except CommandFailed as error:
            if "already exists" not in str(error):
                raise
            return False
        return True

    wait_for("the Secret to be replaced", attempt, 30)


def edit_pod(kube: Kube, testbed: str, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change the StatefulSet's pod spec, and have its waiting pod made anew by it.

    The operator's name is used, because the chart's policies let it alone make measured pods.
    """
    body = kube.get("statefulset", testbed, NAMESPACE)
    assert body is not None
    spec = body["spec"]["template"]["spec"]
    edit(spec)
    changes = [
        {"op": "replace", "path": f"/spec/template/spec/{part}", "value": spec[part]}
        for part in ("initContainers", "containers", "volumes")
    ]
    where = f"--namespace={NAMESPACE}"
    patch = f"--patch={json.dumps(changes)}"
    kube.kubectl("patch", "statefulset", testbed, where, "--type=json", patch, f"--as={OPERATOR}")

    def seen() -> bool:
        now = kube.get("statefulset", testbed, NAMESPACE)
        assert now is not None
        return bool(now["status"].get("observedGeneration") == now["metadata"]["generation"])

    wait_for("the controller to have seen the change", seen, 30)
    kube.kubectl("delete", "pod", f"{testbed}-0", where, "--ignore-not-found", "--timeout=60s")


def beside_the_mount(spec: dict[str, Any]) -> None:
    """Take gocryptfs' sidecar out of a pod's spec, and put the disk where its mount was.

    The disk keeps its one name among the volumes: the kubelet waits for ever for a claim with two.
    """
    spec["initContainers"] = [c for c in spec["initContainers"] if c["name"] != "volume"]
    spec["volumes"] = [v for v in spec["volumes"] if v["name"] not in ("data", "volume-password")]
    for container in (*spec["initContainers"], *spec["containers"]):
        for entry in container["volumeMounts"]:
            if entry["name"] == "data":
                entry["name"] = "lower"
                entry.pop("mountPropagation", None)


def in_server(kube: Kube, testbed: str, script: str, stdin: str | None = None) -> str:
    """Run a shell script in the server's container, as the server's own user."""
    inside = ("--", "sh", "-euc", script)
    pod = (f"{testbed}-0", f"--namespace={NAMESPACE}", "--container=server")
    return kube.kubectl("exec", *(["--stdin"] if stdin else []), *pod, *inside, stdin=stdin)


def reload_postgresql(kube: Kube, testbed: str, *settings: str) -> None:
    """What `ALTER SYSTEM SET` and `pg_reload_conf()` do; no user may log in as superuser."""
    data = f"{VOLUME}/data"
    lines = "".join(f"{setting}\\n" for setting in settings)
    in_server(
        kube,
        testbed,
        f'printf "{lines}" >>{data}/postgresql.auto.conf; '
        f'kill -HUP "$(head -n 1 {data}/postmaster.pid)"',
    )


def as_owner(kube: Kube, testbed: str, *statements: str) -> None:
    """Run statements on PostgreSQL as the benchmark's user, who owns the tables."""
    secret = kube.get("secret", credentials_name(testbed), NAMESPACE)
    assert secret is not None
    password = base64.b64decode(secret["data"]["password"]).decode()
    script = (
        "read -r PGPASSWORD; export PGPASSWORD; "
        "psql --no-psqlrc --set=ON_ERROR_STOP=1 --host=127.0.0.1 --username=encbench sbtest"
    )
    text = "".join(f"{statement};\n" for statement in statements)
    in_server(kube, testbed, script, stdin=f"{password}\n{text}")


def as_root(kube: Kube, testbed: str, statement: str) -> None:
    """Run a statement as MariaDB's root, who must be this machine's, over the unix socket."""
    with TemporaryDirectory() as directory:
        short = Path(directory, "volume")  # a socket's path has room for 107 characters
        short.symlink_to(_volume(kube, testbed))
        with pymysql.connect(unix_socket=str(short / "mariadb.sock"), user="root") as session:
            session.cursor().execute(statement)


def _volume(kube: Kube, testbed: str) -> str:
    """Where the testbed's volume lies on this machine."""
    claim = kube.get("persistentvolumeclaim", f"{testbed}-data", NAMESPACE)
    assert claim is not None
    volume = kube.get("persistentvolume", claim["spec"]["volumeName"], NAMESPACE)
    assert volume is not None
    source = volume["spec"].get("hostPath") or volume["spec"]["local"]
    path: str = source["path"]
    return path
