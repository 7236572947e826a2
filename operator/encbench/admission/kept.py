"""What admission keeps of the objects that authors' specs name.

A campaign can name hundreds of Secrets and ConfigMaps of a MiB each, and all are held at the same
time. So only what the checks look at is kept: the name, the mark, and the beginnings of the entries
that are named.
"""

import base64
import re
from collections.abc import Iterable

from encbench.api.kinds import CONFIG_MAP, PERSISTENT_VOLUME_CLAIM, SECRET, Kind
from encbench.kube.labels import USE
from encbench.ports import Body
from encbench.tools.sysbench.problems import LARGEST_SCRIPT

LARGEST_SECRET = 32 * 1024
"""Letters of an encoded entry: a key file of MariaDB with 300 keys. A longer login is refused. Of a
longer bundle of certificates those are checked that are whole in the beginning; the testbed checks
all of them when it copies the entry."""

CUT = "cut"
"""Of an object that admission holds: the entries of which it has the beginning alone."""
_CUT = LARGEST_SECRET * 3 // 4
"""Bytes of a longer entry's beginning; a letter that does not fit is left out."""
_END = re.compile(r"-----END (?:X509 |TRUSTED )?CERTIFICATE-----")
_NO_TEXT = base64.b64encode(b"\xff").decode()


def kept(kind: Kind, body: Body, entries: Iterable[str]) -> Body:
    """The object as admission holds it, with these entries of it."""
    if kind not in (SECRET, CONFIG_MAP, PERSISTENT_VOLUME_CLAIM):
        return body
    meta, data = body["metadata"], body.get("data") or {}
    own = {name: meta[name] for name in ("name", "namespace") if name in meta}
    marks = {label: value for label, value in (meta.get("labels") or {}).items() if label == USE}
    shortened = _beginning if kind is SECRET else _script
    # An entry of a manifest may be null, which is as good as none.
    named = [name for name in entries if isinstance(data.get(name), str)]
    found = {name: shortened(data[name]) for name in named}
    cut = [name for name in named if found[name] not in (data[name], _NO_TEXT)]
    return {"kind": body["kind"], "metadata": {**own, "labels": marks}, "data": found, CUT: cut}


def _script(text: str) -> str:
    """So much of a script that it is seen to be too long."""
    return text[: LARGEST_SCRIPT + 1]


def _beginning(value: str) -> str:
    """So much of an encoded entry, with no cut letter or certificate; no text stays none."""
    if len(value) <= LARGEST_SECRET:
        return value
    try:
        # In a manifest lines may be broken anywhere.
        text = base64.b64decode(value).decode()
    except ValueError:
        return _NO_TEXT
    begin = text.encode()[:_CUT].decode(errors="ignore")
    ends = [found.end() for found in _END.finditer(begin)]
    return base64.b64encode(begin[: ends[-1] if ends else None].encode()).decode()


def says_nothing(begin: str) -> bool:
    """Whether that may be the beginning of a bundle, with none of its certificates whole."""
    longest_letter = 4
    return len(begin.encode()) > _CUT - longest_letter and _END.search(begin) is None
