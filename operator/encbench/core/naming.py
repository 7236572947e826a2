"""Names as functions of the spec: the same input gives the same name, and every name fits.

A StatefulSet's pods carry the label `controller-revision-hash`, whose value is the set's name with
a hash of up to eleven characters. That leaves the name 52 of the 63 that a label may have.
"""

import hashlib
import json
import re
from typing import Any

MAX_NAME = 52


INDEX = "report/index.json"
"""Where a campaign's index is, below its prefix."""


def digest(value: Any) -> str:
    """SHA-256 in hex of a JSON value; independent of the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def child_name(*parts: str | int, limit: int = MAX_NAME, digits: int = 8) -> str:
    """The parts in lower case, joined by dashes; a name too long is cut and ends with a hash.

    Two different lists of parts give the same cut name only if their hashes have the same first
    `digits`, each of which is 4 bits.
    """
    whole = "-".join(re.sub(r"[^a-z0-9]+", "-", str(part).lower()).strip("-") for part in parts)
    if len(whole) <= limit:
        return whole
    mark = digest([str(part) for part in parts])[:digits]
    return f"{whole[: limit - digits - 1].rstrip('-')}-{mark}"


def script_name(campaign: str, mark: str) -> str:
    """Name of the copy of a script; `mark`, 8 digits of its digest, is never cut off."""
    return f"{child_name(campaign, 'script', limit=MAX_NAME - len(mark) - 1)}-{mark}"


def credentials_name(testbed: str) -> str:
    """Name of the Secret with a testbed's users, passwords and tokens."""
    return f"{testbed}-credentials"


def storage_prefix(namespace: str, campaign: str, uid: str) -> str:
    """Where a campaign's artefacts are; the UID separates it from later campaigns of that name."""
    return f"{namespace}/{campaign}-{uid[:8]}"


def trial_prefix(campaign_prefix: str, trial_uid: str) -> str:
    """Where one trial's artefacts are."""
    return f"{campaign_prefix}/trials/{trial_uid}"


def script_key(campaign_prefix: str, workload: str) -> str:
    """Where the text of a workload's own script lies."""
    return f"{campaign_prefix}/scripts/{workload}.lua"


def proof_key(campaign_prefix: str, testbed: str) -> str:
    """Where a testbed's full proof lies."""
    return f"{campaign_prefix}/testbeds/{testbed}/proof.json"
