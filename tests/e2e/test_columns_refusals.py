"""Column encryption that cannot be is refused in a sentence; one not in force gives no result."""

import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions, ended
from tests.e2e.columns import RESOURCES, columns, mode
from tests.e2e.refusals import Refusal, applied, assert_refused
from tests.e2e.tpcc import instance, workload
from tests.support.install import NAMESPACE, databases_outside, is_own
from tests.support.kube import CommandFailed, Kube, wait_for

WORKLOAD = workload("columns-refused")


def tpcc_campaign(name: str, *modes: str, engine: str = "mariadb", **fields: Any) -> dict[str, Any]:
    """TPC-C; instance and workload are to be applied beside it."""
    made = manifests.campaign(name, list(modes), **fields)
    made["spec"]["matrix"][0] |= {
        "instanceRefs": [f"tpcc-{engine}"],
        "workloadRefs": ["columns-refused"],
    }
    return made


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ({"columns": columns(30)}, "Unsupported value: 30"),
        ({"columns": columns(100), "inTransit": {}}, "omit inTransit"),
        ({"columns": columns(100, algorithm="SM4_256")}, "SM4_128_GCM"),
        ({"columns": columns(100, list=["bmsql_item.i_id"])}, "write exactly one of ratio"),
        ({"columns": columns(100, mek="00" * 16)}, "unknown field"),
        ({"driver": {}}, "write exactly one of encrypting"),
    ],
    ids=["ratio", "tls", "algorithm", "both", "inline-key", "no-driver"],
)
def test_one_object_shows_it(installed: Kube, spec: dict[str, Any], advice: str) -> None:
    with pytest.raises(CommandFailed, match=advice):
        installed.apply(manifests.mode("columns-bad", **spec))
    assert installed.get("encryptionmode", "columns-bad", NAMESPACE) is None


def secret(name: str, mek: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"encbench.io/use": "key"}},
        "stringData": {"mek": mek},
    }


KEYS = {
    "short": ("0123456789abcdef0123456789abcde", "31 hex digits: write 32"),
    "long": ("0123456789abcdef0123456789abcdefab", "34 hex digits: write 32"),
    "letters": ("0123456789abcdef0123456789abcdeX", "not written in hex digits"),
}
UNKNOWN = {"method": "confidential", "list": ["bmsql_customer.c_blance"], "resources": RESOURCES}


def _of_tpcc(
    name: str, says: tuple[str, ...], *parts: dict[str, Any], engine: str = "mariadb"
) -> Refusal:
    return Refusal(tpcc_campaign(name, name, engine=engine), says, parts)


def _of_key(case: str) -> Refusal:
    name = f"columns-mek-{case}"
    key, advice = KEYS[case]
    own = mode(name, 100, driver=True, mekSecretRef={"name": name})
    campaign = tpcc_campaign(name, name)
    return Refusal(campaign, (advice, name), (secret(name, key), own), hides=(key,))


REFUSED = {
    **{f"key-{case}": _of_key(case) for case in KEYS},
    "key-that-does-not-exist": _of_tpcc(
        "columns-no-mek",
        ("there is no Secret no-such-key with an entry mek", "32 hex digits"),
        mode("columns-no-mek", 100, driver=True, mekSecretRef={"name": "no-such-key"}),
    ),
    "column-that-the-schema-does-not-have": _of_tpcc(
        "columns-unknown",
        ("bmsql_customer.c_blance is not a column of TPC-C's tables", "bmsql_customer.c_balance"),
        manifests.mode("columns-unknown", columns=UNKNOWN, driver={"encrypting": {}}),
    ),
    "tpcc-with-ciphertext": _of_tpcc(
        "columns-no-driver",
        ("write driver: {encrypting: {}} into the mode",),
        mode("columns-no-driver", 100),
    ),
    "jdbc-driver-of-sysbench": Refusal(
        manifests.campaign("columns-sysbench-driver", ["columns-sysbench-driver"]),
        ("driver",),
        (mode("columns-sysbench-driver", 100, driver=True),),
    ),
    "proxy-of-postgresql": _of_tpcc(
        "columns-postgresql",
        ("the confidential proxy does not support postgresql",),
        instance("postgresql"),
        mode("columns-postgresql", 0),
        engine="postgresql",
    ),
}


@pytest.fixture(scope="module")
def refusals(installed: Kube) -> Iterator[dict[str, Refusal]]:
    """All of them, applied."""
    installed.apply(instance("mariadb"), WORKLOAD)
    with applied(installed, REFUSED):
        yield REFUSED


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_with_advice(
    installed: Kube, refusals: dict[str, Refusal], case: str
) -> None:
    assert_refused(installed, refusals[case])


EMPTY = json.dumps({"data": {"columns": ""}})


@pytest.mark.full
def test_a_proxy_that_encrypts_nothing_is_never_measured(installed: Kube, start: Start) -> None:
    """Somebody empties the proxy's list: it starts, passes everything through, and nothing counts.

    Each trial starts its server anew, so that the proxy reads the list as it is by then; the mode
    that is loaded last leaves the time to break the one before it.
    """
    name = "columns-broken"
    installed.apply(mode("columns-all", 100), mode("columns-none", 0))
    start(
        manifests.campaign(
            name,
            ["columns-all", "columns-none"],
            blocks={"min": 1, "maxReplacements": 0},
            residency="OnDemand",
        )
    )

    def proven() -> str | None:
        for body in installed.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}"):
            if body["spec"]["arm"]["name"] == "columns-all":
                fact = conditions(body).get("Proven", {})
                return str(body["metadata"]["name"]) if fact.get("status") == "True" else None
        return None

    testbed = wait_for("the proof of the encrypted testbed", proven, 400)
    installed.kubectl(
        *("patch", "configmap", testbed, f"--namespace={NAMESPACE}", "--type=merge"),
        f"--patch={EMPTY}",
    )
    wait_for("the end of the campaign", lambda: ended(installed, name), 600)
    trials = installed.list("trials", NAMESPACE, f"encbench.io/campaign={name}")
    broken = [t for t in trials if t["spec"]["arm"]["name"] == "columns-all"]
    assert broken
    for trial in broken:
        assert trial["status"]["outcome"] == "Invalid", trial["status"]
        assert trial["status"]["reason"] == "ProofFailed"
        assert "chosen columns in plaintext" in trial["status"]["message"]
    report = installed.get("overheadreport", name, NAMESPACE)
    rows = (report or {}).get("status", {}).get("rows", [])
    assert not [row for row in rows if row["arm"] == "columns-all" and "tps" in row]


@pytest.fixture
def jar(installed: Kube, tmp_path: Path) -> Iterator[str]:
    """A URL, on the node's own address, of a file that is some other jar; clients reach it."""
    (tmp_path / "driver.jar").write_bytes(b"PK\x05\x06" + bytes(18))
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer((NODE_ADDRESS, 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with databases_outside(installed, NODE_ADDRESS, server.server_address[1]):
        yield f"http://{NODE_ADDRESS}:{server.server_address[1]}/driver.jar"
    server.shutdown()
    server.server_close()


@pytest.mark.full
@pytest.mark.skipif(not is_own(), reason="the jar is served from this machine")
def test_a_jar_with_another_digest_starts_no_client(
    installed: Kube, start: Start, jar: str
) -> None:
    digest = hashlib.sha256(b"the jar that was meant").hexdigest()
    own = {
        "url": jar,
        "sha256": digest,
        "class": "io.encbench.jdbc.EncbenchDriver",
        "urlTemplate": "jdbc:encbench:jdbc:mariadb://{host}:{port}/{database}",
    }
    installed.apply(
        instance("mariadb"), WORKLOAD, manifests.mode("columns-jar", driver={"jar": own})
    )
    name = start(
        tpcc_campaign(
            *("columns-jar", "columns-jar"),
            baselineModeRef="columns-jar",
            blocks={"min": 1, "maxReplacements": 0},
        )
    )
    wait_for("the end of the campaign", lambda: ended(installed, name), 900)
    trials = installed.list("trials", NAMESPACE, f"encbench.io/campaign={name}")
    assert trials
    for trial in trials:
        status = trial["status"]
        assert status["outcome"] in ("Invalid", "Failed"), status
        assert "has the SHA-256 digest" in status["message"]
        assert digest in status["message"]
        assert "releaseAt" not in status, "no client was let go"
