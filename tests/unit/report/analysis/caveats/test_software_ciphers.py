"""Ciphers that a CPU computes in software: whose they are, and in which modes."""

from dataclasses import replace
from typing import Any

import pytest

from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import (
    ENCLAVE,
    ENCRYPTED_CLASS,
    GOCRYPTFS,
    PASS_THROUGH,
    TDE,
    TLS,
    TLS12,
)

SLOW = Study(concurrency=(16,), blocks=2, flags=("fpu",))
CHACHA = {"inTransit": {**TLS["inTransit"], "cipherSuite": "TLS_CHACHA20_POLY1305_SHA256"}}
XCHACHA = {
    "atRest": {"method": "volume", "volume": {"gocryptfs": {"cipher": "XChaCha20-Poly1305"}}}
}


def columns(**of: Any) -> dict[str, Any]:
    return {"columns": {"method": "confidential", "ratio": 100, **of}}


def said(study: Study, title: str) -> str:
    return " ".join(caveat.text for caveat in report_of(study).caveats if caveat.title == title)


@pytest.mark.parametrize(
    "mode", [TDE, TLS, TLS12, GOCRYPTFS, ENCRYPTED_CLASS, ENCLAVE, columns(), {**XCHACHA, **TLS}]
)
def test_a_database_that_encrypts_by_aes_wants_its_instructions(mode: dict[str, Any]) -> None:
    text = said(replace(SLOW, modes={"tde": mode}), "No AES instructions")
    assert text.startswith("The CPU of node-a (databases) lists no aes flag;")


@pytest.mark.parametrize(
    "mode", [CHACHA, XCHACHA, PASS_THROUGH, columns(ratio=0), columns(algorithm="SM4_128_GCM"), {}]
)
def test_a_database_without_aes_needs_no_instructions_for_it(mode: dict[str, Any]) -> None:
    assert not said(replace(SLOW, modes={"tde": mode}), "No AES instructions")


def test_the_baselines_cipher_counts_too() -> None:
    both = replace(SLOW, baseline=TLS, modes={"tde": CHACHA})
    assert "node-a (databases)" in said(both, "No AES instructions")


@pytest.mark.parametrize(
    ("model", "mode", "found"),
    [
        ("aarch64, implementer 0x41, part 0xd0c, variant 0x3", XCHACHA, True),
        ("aarch64, implementer 0x41, part 0xd0c, variant 0x3", GOCRYPTFS, False),
        ("Synthetic CPU @ 2.50GHz", XCHACHA, False),
    ],
)
def test_gocryptfs_without_openssl_is_named_where_openssl_is_faster(
    model: str, mode: dict[str, Any], *, found: bool
) -> None:
    study = replace(SLOW, modes={"tde": mode}, machines={"tde": {"cpu_model": model}})
    text = said(study, "gocryptfs without OpenSSL")
    assert text.startswith("On node-a, of arm64, gocryptfs computed") == found
    assert bool(text) == found


@pytest.mark.parametrize(
    ("tpcc", "mode", "found"), [(True, CHACHA, True), (True, TLS, False), (False, CHACHA, False)]
)
def test_a_suite_that_java_computes_slowly_is_named_of_tpcc(
    tpcc: bool, mode: dict[str, Any], *, found: bool
) -> None:
    text = said(replace(SLOW, tpcc=tpcc, modes={"tde": mode}), "ChaCha20 in Java")
    assert text.startswith("Under tde the clients of oltp-read-write computed ChaCha20") == found
    assert bool(text) == found
