"""Machines that encrypt without AES instructions."""

from dataclasses import replace

from tests.support.testbeds import TLS
from tests.unit.report.analysis.caveats.studies import CALM, text_of, titles

CHACHA = {"inTransit": {**TLS["inTransit"], "cipherSuite": "TLS_CHACHA20_POLY1305_SHA256"}}
BARE_JAR = {
    "driver": {
        "jar": {
            "claimName": "jars",
            "path": "d.jar",
            "class": "x.D",
            "urlTemplate": "jdbc:x://{host}",
        }
    }
}


def test_clients_that_encrypt_without_aes_instructions_are_named_with_their_side() -> None:
    slow: dict[str, object] = {"aes": False}
    in_transit = replace(CALM, modes={"tde": TLS}, client_machines={"tde": slow, "plain": slow})
    assert text_of(in_transit, "No AES instructions").startswith(
        "The CPU of node-b (clients that encrypt) lists no aes flag;"
    )
    both = replace(in_transit, flags=("fpu",))
    assert text_of(both, "No AES instructions").startswith(
        "The CPU of node-a (databases) and of node-b (clients that encrypt) lists no aes flag;"
    )
    for clients, modes in (
        ({"plain": slow}, {"tde": TLS}),
        ({"tde": slow}, {}),
        ({"tde": {"aes": True}}, {"tde": TLS}),
        ({"tde": slow}, {"tde": CHACHA}),
        ({"tde": slow}, {"tde": BARE_JAR}),
    ):
        study = replace(CALM, client_machines=clients, modes=modes)
        assert "No AES instructions" not in titles(study)
