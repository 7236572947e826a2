"""Encrypted values, which any server may have changed on their way to the agent."""

from contextlib import suppress

from encbench.adapters import columncipher, enclavecipher
from encbench.core.columns import envelope
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import binaries

KEY = bytes(range(16))
HEADER = envelope.MAGIC + bytes([envelope.VERSION, 1, 253, 0, 0, 0, 0, 45])
SEALED = [enclavecipher.seal(value, KEY) for value in (7, "a value")]


def test_envelopes(budget: Budget) -> None:
    def check(value: bytes) -> None:
        with suppress(ValueError):
            columncipher.open_envelope(envelope.parse(value), b"a column", KEY)
            raise AssertionError("a value that the key has not sealed was opened")

    whole = [HEADER.ljust(envelope.OVERHEAD + size, b"\0") for size in (0, 1, 40)]
    budget.spend(check, binaries(whole))


def test_values_of_encrypted_types(budget: Budget) -> None:
    import base64

    own = [base64.b64decode(text) for text in SEALED]
    plain = {enclavecipher.unseal(value, KEY) for value in own}

    def check(value: bytes) -> None:
        with suppress(ValueError):
            assert enclavecipher.unseal(value, KEY) in plain

    budget.spend(check, binaries(own))
