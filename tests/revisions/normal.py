"""Replaces what is random, and what the fakes count, by words that are the same in every run.

Keys, certificates and markers are random; the words for a certificate describe what the operator
decided about it. The fake API server numbers objects: kind and name replace a uid. The key of a
stored object replaces its digest, so that one changed record is one difference and not many.
"""

import hashlib
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

_UID = re.compile(r"00000000-0000-0000-0000-[0-9a-f]{12}")
_TOKEN = re.compile(r"\b0{20,}[0-9a-f]*[1-9a-f][0-9a-f]*\b")
"""The fakes count where the product draws random bytes."""
_MARKER = re.compile(r"(encbench[-_]marker[-_])[0-9a-f]{16,32}")
"""A proof's marker, and the name of its table, which is a digest of it."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----\n.*?-----END \1-----\n?", re.DOTALL)
_KEYS_OWN = ("SubjectKeyIdentifier", "AuthorityKeyIdentifier")
"""Extensions that follow from the key alone."""


class Names:
    """Numbers of one world, and what stands in their place."""

    def __init__(self) -> None:
        self._uids: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    def know(self, body: Mapping[str, Any]) -> None:
        """An object as the fake API server has stored it."""
        meta = body["metadata"]
        uid, name = meta["uid"], f"uid-of-{body['kind']}-{meta['name']}"
        if uid not in self._uids:
            again = sum(known.partition(".again")[0] == name for known in self._uids.values())
            self._uids[uid] = name + (f".again{again}" if again else "")

    def stored(self, objects: Mapping[str, bytes]) -> None:
        """The objects in the bucket."""
        for key, content in objects.items():
            self._digests[f"sha256:{hashlib.sha256(content).hexdigest()}"] = f"digest-of:{key}"

    def text(self, text: str) -> str:
        """The text with names in place of numbers."""
        text = _MARKER.sub(r"\1random", text)
        text = _DIGEST.sub(lambda found: self._digests.get(found[0], found[0]), text)
        return _UID.sub(lambda found: self._uids.get(found[0], found[0]), text)

    def sent(self, text: str) -> str:
        """The same of an object that was sent, where random bytes count by their appearance in it.

        So two of them are equal or not, as before, and the order in which they are drawn is free.
        """
        tokens: dict[str, str] = {}

        def number(found: re.Match[str]) -> str:
            default = f"<{len(found[0]) // 2} random bytes, number {len(tokens) + 1}>"
            return tokens.setdefault(found[0], default)

        return self.text(_TOKEN.sub(number, text))

    def content(self, content: bytes) -> bytes:
        """The same of an object in the bucket, all of which are text."""
        return self.text(content.decode()).encode()


def sent(body: Mapping[str, Any]) -> dict[str, Any]:
    """An object as the operator sent it: Secrets decoded, and without the server's own fields.

    The status is left out, because it is written and recorded on its own.
    """
    made = {key: value for key, value in body.items() if key != "status"}
    made["metadata"] = {
        key: value
        for key, value in body["metadata"].items()
        if key not in ("resourceVersion", "uid", "creationTimestamp", "generation")
    }
    if body["kind"] == "Secret":
        made["data"] = {entry: open_(text) for entry, text in (body.get("data") or {}).items()}
    return made


def open_(text: str) -> str:
    """Decode an entry of a Secret, with descriptions in place of certificates and keys."""
    return _PEM.sub(lambda found: _described(found[1], found[0]), b64decode(text).decode())


def _described(label: str, pem: str) -> str:
    if label == "CERTIFICATE":
        try:
            return _certificate(x509.load_pem_x509_certificate(pem.encode()))
        except ValueError:
            return pem
    if label.endswith("PRIVATE KEY"):
        key = load_pem_private_key(pem.encode(), None)
        curve = getattr(getattr(key, "curve", None), "name", "")
        return f"<{label.lower()}: {type(key).__name__} {curve}>\n"
    return pem


def _certificate(found: x509.Certificate) -> str:
    extensions = [
        f"{extension.oid._name}{' (critical)' if extension.critical else ''}: {extension.value!r}"
        for extension in found.extensions
        if type(extension.value).__name__ not in _KEYS_OWN
    ]
    lines = [
        f"<certificate of {found.subject.rfc4514_string()} by {found.issuer.rfc4514_string()}",
        f"from {found.not_valid_before_utc} until {found.not_valid_after_utc}",
        f"key {type(found.public_key()).__name__}",
        *sorted(extensions),
    ]
    return "\n  ".join(lines) + ">\n"
