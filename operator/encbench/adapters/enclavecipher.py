"""Values of encrypted column types, sealed and opened by OpenSSL: the agent's own way."""

import base64
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from encbench.adapters.columncipher import NotOpened
from encbench.core.columns import sealed


def seal(value: int | str, key: bytes) -> str:
    """The value in base64, as a statement takes it."""
    kind, plain = sealed.plaintext(value)
    header, nonce = sealed.HEADERS[kind], os.urandom(sealed.NONCE)
    return base64.b64encode(header + nonce + AESGCM(key).encrypt(nonce, plain, header)).decode()


def unseal(raw: bytes, key: bytes) -> str:
    """The value as a client prints it. ValueError where the key does not open it."""
    value = sealed.parse(raw)
    try:
        opened = AESGCM(key).decrypt(value.nonce, value.sealed, value.header)
    except InvalidTag as error:
        raise NotOpened("the mode's key does not open it") from error
    return sealed.shown(value.kind, opened)
