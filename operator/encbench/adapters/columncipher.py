"""Decryption of values by OpenSSL: the agent's own way, independent of the driver."""

from collections.abc import Callable

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from encbench.core.columns.envelope import TAG, Envelope

_CIPHERS: dict[str, Callable[[bytes], algorithms.AES | algorithms.SM4]] = {
    "AES_128_GCM": algorithms.AES,
    "SM4_128_GCM": algorithms.SM4,
}


class NotOpened(ValueError):
    """The key does not open the value, or the cipher is not available. The text says which."""


def open_envelope(envelope: Envelope, key: bytes) -> bytes:
    """The plaintext. NotOpened for a wrong key, or if a single bit was changed."""
    text, tag = envelope.sealed[:-TAG], envelope.sealed[-TAG:]
    try:
        mode = modes.GCM(envelope.nonce, tag)
        decryptor = Cipher(_CIPHERS[envelope.algorithm](key), mode).decryptor()
        decryptor.authenticate_additional_data(envelope.header)
        return decryptor.update(text) + decryptor.finalize()
    except InvalidTag as error:
        raise NotOpened("the mode's key does not open it") from error
    except UnsupportedAlgorithm as error:
        raise NotOpened(f"the agent's OpenSSL has no {envelope.algorithm}") from error
