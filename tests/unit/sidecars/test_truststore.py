"""A trust store of a CA's PEM file, as the client's driver finds it."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12

from encbench.sidecars.truststore import NoCertificates, make
from tests.support import certified

PEMS = [certified.MAKER.authority(name, datetime.now(UTC)).certificate for name in "abc"]


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The CA's PEM file."""
    return tmp_path / "cacert.pem"


def trusted(store: Path) -> dict[bytes | None, x509.Certificate]:
    """Certificates of a trust store, by their names."""
    found = pkcs12.load_pkcs12(store.read_bytes(), b"word").additional_certs
    return {one.friendly_name: one.certificate for one in found}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("label", ["CERTIFICATE", "X509 CERTIFICATE"])
@pytest.mark.parametrize("between", ["", "\n", "# Zürich\n", "Issuer: CN=a\n=====\n"])
def test_each_certificate_of_a_bundle_is_trusted(
    between: str, label: str, end: str, authority: Path, tmp_path: Path
) -> None:
    text = between + between.join(PEMS).replace("CERTIFICATE", label) + between
    authority.write_text(text.replace("\n", end), newline="")
    store = tmp_path / "encbench/trust.p12"
    make(authority, store, "word")
    wanted = [x509.load_pem_x509_certificate(pem.encode()) for pem in PEMS]
    assert trusted(store) == {b"encbench-%d" % n: one for n, one in enumerate(wanted, 1)}


def test_a_long_bundle_costs_no_more_than_a_short_one(authority: Path, tmp_path: Path) -> None:
    authority.write_text(PEMS[0] * 108)
    store = tmp_path / "trust.p12"
    make(authority, store, "word")
    assert len(trusted(store)) == 108


@pytest.mark.parametrize("text", ["", "no certificate", PEMS[0] + PEMS[1].replace("MII", "MIJ")])
def test_what_cannot_be_read_is_said(text: str, authority: Path, tmp_path: Path) -> None:
    authority.write_text(text)
    with pytest.raises(NoCertificates, match=r"cacert\.pem has no certificate .* entry ca\.crt$"):
        make(authority, tmp_path / "trust.p12", "word")


@pytest.mark.parametrize(("text", "code"), [(PEMS[0], 0), ("no certificate", 1)])
def test_as_the_pod_runs_it(text: str, code: int, authority: Path, tmp_path: Path) -> None:
    authority.write_text(text)
    store = tmp_path / "trust.p12"
    done = subprocess.run(
        [sys.executable, "-m", "encbench.sidecars.truststore", authority, store, "word"],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert store.exists() is (code == 0)
    assert code == 0 or done.stderr.startswith(f"encbench: {authority} has no certificate")
    assert "Traceback" not in done.stderr
