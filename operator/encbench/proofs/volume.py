"""Whether the volume under a database is what the mode says, whatever the engine.

The engine judges its own files, which lie in plaintext on an encrypted volume; here is judged what
lies below them. Two witnesses again: what the kernel says of the mount and its devices, and the
marker, readable above and not below. Where the disk itself cannot be looked at, dm-crypt under the
mount is proof. A class or volume that merely declares that it is encrypted is none: it is accepted,
and every proof says on whose word.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encbench.api.encryptionmode import EncryptionModeSpec, Gocryptfs, Volume
from encbench.core.evidence import ON_TRUST, Proof
from encbench.proofs import evidence as facts
from encbench.proofs.check import Check, both, conclude, equals, lacking

FORMATS = {"AES-GCM": "GCMIV128", "XChaCha20-Poly1305": "XChaCha20Poly1305"}
"""What gocryptfs writes into its configuration's FeatureFlags for each cipher alone."""
DECLARED = ("encrypted", "encryption")
"""Parameters of classes and attributes of volumes that say so, in any spelling of upper case."""


class _File(BaseModel):
    path: str
    size: int = Field(alias="bytes")
    found: bool


class _Lower(BaseModel):
    own: str | None
    features: list[str] | None
    files: list[_File]


class _Volume(BaseModel):
    """The agent's part; see `sidecars.agent.volume`."""

    model_config = ConfigDict(populate_by_name=True)

    type: str | None
    dm_crypt: str | None = Field(alias="dmCrypt")
    lower: _Lower | None


class _Claim(BaseModel):
    """The operator's part; see `reconcile.claim`."""

    model_config = ConfigDict(populate_by_name=True)

    storage_class: str | None = Field(None, alias="storageClass")
    parameters: dict[str, str] = {}
    attributes: dict[str, str] = {}


def judge(
    proof: Proof, evidence: Mapping[str, Any], mode: EncryptionModeSpec, *, full: bool
) -> Proof:
    """The engine's proof together with that of the volume, where the mode says anything of it."""
    volume = mode.volume
    if volume is None:
        return _noted(proof, evidence)
    name = _name(volume)
    try:
        seen = _Volume.model_validate(evidence.get("volume") or {})
        claim = _Claim.model_validate(evidence.get("claim") or {})
    except ValidationError as error:
        return both(proof, conclude(name, "", [lacking(error, "volume")], [], evidence))
    if volume.gocryptfs is not None:
        checks, found = _through_fuse(volume.gocryptfs, seen, full=full)
        return both(proof, conclude(name, found, checks, [], evidence))
    checks, exemptions, found = _on_class(volume, seen, claim)
    return both(proof, conclude(name, found, checks, exemptions, evidence))


def _name(volume: Volume) -> str:
    own = volume.gocryptfs
    if own is None:
        return f"volume encryption by StorageClass {volume.storage_class_name}"
    if own.cipher == "none":
        return "a FUSE pass-through without encryption"
    return f"volume encryption by gocryptfs with {own.cipher}"


def _noted(proof: Proof, evidence: Mapping[str, Any]) -> Proof:
    """Encryption that no mode asked for is under both sides of a comparison; a reader may know."""
    name = (evidence.get("volume") or {}).get("dmCrypt")
    if not name:
        return proof
    note = Check("exempt: the disk", "anything", f"dm-crypt under the data ({name})", ok=True)
    made = conclude("", "", [note], [], {}).checks
    return proof.model_copy(update={"checks": (*proof.checks, *made)})


def _through_fuse(own: Gocryptfs, seen: _Volume, *, full: bool) -> tuple[list[Check], str]:
    lower = seen.lower or _Lower(own=None, features=None, files=[])
    mounted = equals("mount of the server's files", f"fuse.{process_name(own)}", seen.type)
    same = Check(
        "the marker's file below the mount",
        "found",
        "not found" if lower.own is None else "found",
        lower.own is not None,
    )
    searched = facts.count(len(lower.files), "file")
    hits = [file.path for file in lower.files if file.found]
    if own.cipher == "none":
        readable = facts.present("marker below the mount", lower.own in hits)
        found = f"the marker is readable in {len(hits)} of {searched} below the mount"
        return [mounted, same, readable], found
    looked = any(file.path == lower.own and file.size > 0 for file in lower.files)
    read = Check("the marker's file below", "read", "read" if looked else "not read", looked)
    formats = [word for word in lower.features or () if word in FORMATS.values()]
    checks = [
        mounted,
        same,
        read,
        equals("format of the ciphertext", FORMATS[own.cipher], ", ".join(formats) or None),
        facts.none("files below the mount in which the marker is readable", hits),
    ]
    if full:
        wide = len(lower.files) > 1
        text = "every file" if wide else searched
        checks.append(Check("scope of the search below", "every file", text, wide))
    return checks, f"the marker is readable in none of {searched} below the mount"


def _on_class(volume: Volume, seen: _Volume, claim: _Claim) -> tuple[list[Check], list[Check], str]:
    same = equals("StorageClass of the claim", volume.storage_class_name or "", claim.storage_class)
    wanted = "dm-crypt under the data, or a class or volume that declares encryption"
    name = "encryption of the disk"
    if seen.dm_crypt:
        crypt = Check(name, "dm-crypt under the data", "dm-crypt under the data", ok=True)
        return [same, crypt], [], f"the data lies on dm-crypt ({seen.dm_crypt})"
    said = _declaration(claim)
    word = (
        f"{said} declares it" if said else "the mode takes it on trust" if volume.on_trust else ""
    )
    if not word:
        nothing = Check(
            name, wanted, "neither (write onTrust: true to take it on your word)", False
        )
        return [same, nothing], [], ""
    exempt = Check(
        f"exempt: {name}", "seen from the pod", f"not to be seen from the pod: {word}", ok=True
    )
    return [same], [exempt], f"{word}, {ON_TRUST}"


def _declaration(claim: _Claim) -> str | None:
    """Who declares that the disk is encrypted."""
    for what, values in (("the class", claim.parameters), ("the volume", claim.attributes)):
        for key, value in values.items():
            if key.rsplit("/", 1)[-1].lower() in DECLARED and value.lower() == "true":
                return f"{what}'s {key}: {value}"
    return None


def process_name(own: Gocryptfs) -> str:
    """The program that serves the file system; its mounts are of type `fuse.<name>`."""
    return "passthrough" if own.cipher == "none" else "gocryptfs"
