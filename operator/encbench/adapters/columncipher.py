"""Decryption of values by OpenSSL: the agent's own way, independent of the driver."""

from collections.abc import Callable

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from encbench.core.columns.envelope import TAG, Envelope, connection_key

_CIPHERS: dict[str, Callable[[bytes], algorithms.AES | algorithms.SM4]] = {
    "AES_128_GCM": algorithms.AES,
    "SM4_128_GCM": algorithms.SM4,
}


class NotOpened(ValueError):
    """The key does not open the value, or the cipher is not available. The text says which."""


def open_envelope(envelope: Envelope, bound: bytes, mek: bytes) -> bytes:
    """The plaintext of a value of the column that `bound` names; see `envelope.binding`.

    NotOpened for a wrong key or another column, or if a single bit was changed.
    """
    key = connection_key(mek, envelope.algorithm, envelope.key_id)
    return opened(envelope.algorithm, key, envelope.nonce, envelope.header + bound, envelope.sealed)


def opened(algorithm: str, key: bytes, nonce: bytes, authenticated: bytes, sealed: bytes) -> bytes:
    """The plaintext of ciphertext and tag. NotOpened."""
    text, tag = sealed[:-TAG], sealed[-TAG:]
    try:
        decryptor = Cipher(_CIPHERS[algorithm](key), modes.GCM(nonce, tag)).decryptor()
        decryptor.authenticate_additional_data(authenticated)
        return decryptor.update(text) + decryptor.finalize()
    except InvalidTag as error:
        raise NotOpened("the mode's key does not open it as a value of this column") from error
    except UnsupportedAlgorithm as error:
        raise NotOpened(f"the agent's OpenSSL has no {algorithm}") from error
