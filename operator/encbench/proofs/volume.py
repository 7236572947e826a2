"""Whether the volume under a database is what the mode says, whatever the engine.

The engine judges its own files, which are in plaintext on an encrypted volume; this module judges
what is below them. Again there are two witnesses: what the kernel reports about the mount and its
devices, and the marker, which must be readable above and not below. Where the agent cannot read the
disk itself, dm-crypt under the mount is proof. A class or volume that only declares encryption is
no proof: it is accepted, and every proof names whose word that is.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from encbench.api.encryptionmode import EncryptionModeSpec, Gocryptfs, Volume
from encbench.core.evidence import DiskFacts, Proof
from encbench.proofs.check import (
    Comparison,
    conclude,
    equals,
    exempt,
    holds,
    joined,
    none,
    proof_of,
)
from encbench.proofs.evidence import Evidence, count, present

FORMATS = {"AES-GCM": "GCMIV128", "XChaCha20-Poly1305": "XChaCha20Poly1305"}
"""The flag in FeatureFlags of gocryptfs' configuration that only this cipher has."""
DECLARED = ("encrypted", "encryption")
"""Parameters of classes and attributes of volumes that declare encryption, in any case."""
_DENIALS = frozenset({"", "0", "f", "false", "no", "none", "off", "disabled"})
"""Values of these that declare that there is none; each driver has words of its own."""
_MIGRATED = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}
"""Provisioners of Kubernetes' own, whose work CSI drivers do now: volumes may name either."""
_BY_HAND = "kubernetes.io/no-provisioner"
"""That of a class whose volumes are all made by hand, so that nothing depends on its parameters,
and in `DiskFacts` of any volume that was."""
_CEPHFS = "cephfs.csi.ceph.com"
"""How ceph-csi's provisioners for CephFS end; Rook puts its namespace before."""
_OF_ENCRYPTION = ("crypt", "cipher", "luks", "kms", "key", "secret", "secure", "passphrase")
"""What the names of parameters have in them that are about encryption and its keys, and of words in
their values (LINSTOR's layerList: drbd luks storage)."""


class _File(Evidence):
    path: str
    size: int = Field(alias="bytes")
    found: bool


class _Lower(Evidence):
    own: str | None
    features: list[str] | None
    files: list[_File]
    searched: int | None = None
    """None of an earlier agent, which lists every file."""


class _Volume(Evidence):
    """The agent's part of the evidence; see `sidecars.agent.volume`."""

    type: str | None
    dm_crypt: str | None
    lower: _Lower | None


class _Claim(Evidence):
    """The operator's part of the evidence; see `reconcile.effects.agent`."""

    storage_class: str | None = None
    provisioner: str | None = None
    mount_options: tuple[str, ...] | None = None
    parameters: Mapping[str, str] = {}
    attributes: Mapping[str, str] = {}
    provisioned_by: str | None = None
    """Absent in evidence of an earlier operator."""

    @property
    def knows_maker(self) -> bool:
        """Whether `provisioned_by` was looked for."""
        return "provisioned_by" in self.model_fields_set

    @property
    def is_of_class(self) -> bool:
        """Whether the class's provisioner made the volume, as far as it is known.

        Whoever makes a volume by hand may name any class, and its parameters do nothing then.
        """
        if not self.knows_maker:
            return True
        names = (self.provisioned_by or "", self.provisioner or "")
        maker, own = (_MIGRATED.get(name, name) for name in names)
        return bool(maker) and maker == own


def judge(
    proof: Proof,
    evidence: Mapping[str, Any],
    mode: EncryptionModeSpec,
    *,
    full: bool,
    plain: bool = False,
) -> Proof:
    """The engine's proof, joined with the proof of the volume where the mode has one.

    With `plain` another arm encrypts its volume by StorageClass, so this one must not be encrypted.
    """
    volume = mode.volume
    if volume is None:
        return _in_plaintext(proof, evidence) if plain else _noted(proof, evidence)
    name = _name(volume)
    seen = _Volume.read(evidence.get("volume") or {}, "volume")
    claim = _Claim.read(evidence.get("claim") or {}, "volume")
    if isinstance(seen, Comparison) or isinstance(claim, Comparison):
        wrong = [part for part in (seen, claim) if isinstance(part, Comparison)]
        return joined(conclude(name, "", wrong[:1], evidence), proof)
    on_trust = False
    if volume.gocryptfs is not None:
        checks, found = _through_fuse(volume.gocryptfs, seen, full=full)
    else:
        checks, found, on_trust = _on_class(volume, seen, claim)
    made = joined(conclude(name, found, checks, evidence, on_trust=on_trust), proof)
    return _in_plaintext(made, evidence) if plain else made


def _name(volume: Volume) -> str:
    own = volume.gocryptfs
    if own is None:
        return f"volume encryption by StorageClass {volume.storage_class_name}"
    if own.cipher == "none":
        return "a FUSE pass-through without encryption"
    return f"volume encryption by gocryptfs with {own.cipher}"


def _noted(proof: Proof, evidence: Mapping[str, Any]) -> Proof:
    """The proof with notes of encryption that no mode asked for, which all arms then share."""
    notes = [exempt("the disk", one).stored() for one in _encryption(evidence)]
    return proof.model_copy(update={"checks": (*proof.checks, *notes)}) if notes else proof


def _in_plaintext(proof: Proof, evidence: Mapping[str, Any]) -> Proof:
    """The engine's proof, joined with that of a disk without encryption as far as can be known."""
    seen = _Volume.read(evidence.get("volume") or {}, "volume")
    checks = [seen] if isinstance(seen, Comparison) else []
    checks.append(none("encryption of the disk", _encryption(evidence)))
    found = "nothing shows or declares encryption of its disk"
    missing = (
        "the volume is not in plaintext, although another arm encrypts its own by StorageClass, so "
        "that both would be encrypted (name a class without encryption in the template's "
        "storage.className, on nodes whose disks are not encrypted)"
    )
    return joined(proof, proof_of(checks, evidence, found=found, missing=missing))


def _encryption(evidence: Mapping[str, Any]) -> list[str]:
    """What the evidence shows and declares of encryption below the server."""
    crypt = _dm_crypt(evidence)
    claim = _Claim.read(evidence.get("claim") or {}, "volume")
    # A word that is only unknown, such as the name of a cipher, casts doubt on plaintext. So does
    # that of a class whose name a volume has that was made by hand.
    said = None if isinstance(claim, Comparison) else _declaration(claim, _is_no_denial)
    shown = [f"dm-crypt under the data ({crypt})"] if crypt else []
    return shown + ([f"encryption declared by {said}"] if said else [])


def _dm_crypt(evidence: Mapping[str, Any]) -> str | None:
    crypt: str | None = (evidence.get("volume") or {}).get("dmCrypt")
    return crypt


def disk(evidence: Mapping[str, Any]) -> DiskFacts | None:
    """What the evidence of a proof has of the disk, apart from encryption.

    None where neither its class nor what made it is known.
    A mode's class has to be like the template's in all of this, or the disks are compared too.
    """
    seen = _Volume.read(evidence.get("volume") or {}, "volume")
    claim = _Claim.read(evidence.get("claim") or {}, "volume")
    made = None if isinstance(claim, Comparison) else _as_made(claim)
    if made is None:
        return None
    kind = None if isinstance(seen, Comparison) else seen.type
    filesystem = None if kind is None or kind.startswith("fuse.") else kind
    crypt = bool(_dm_crypt(evidence)) or (None if filesystem is None else False)
    return made.model_copy(update={"filesystem": filesystem, "dm_crypt": crypt})


def _as_made(claim: _Claim) -> DiskFacts | None:
    """What made the disk and with which parameters; None where neither is known.

    Whoever made one by hand, under whatever class, says no parameters of it.
    """
    own = claim.provisioner
    if own is not None and (claim.is_of_class or own == _BY_HAND):
        return DiskFacts(
            provisioner=own,
            parameters={
                name: _without_encryption(value)
                for name, value in sorted(claim.parameters.items())
                if not _is_of_encryption(name)
            },
            mount_options=claim.mount_options,
            by_file=_is_by_file(own, claim.parameters) or None,
        )
    if not claim.knows_maker:
        return None
    return DiskFacts(provisioner=claim.provisioned_by or _BY_HAND)


def _is_by_file(provisioner: str, parameters: Mapping[str, str]) -> bool:
    """As ceph-csi's classes say it. Those for CephFS may leave it out: it has no other way."""
    said = {name.lower(): value.strip().lower() for name, value in parameters.items()}
    kind = said.get("encryptiontype")
    if not kind and provisioner.endswith(_CEPHFS):
        return _is_plainly_true(said.get("encrypted", ""))
    return kind == "file"


def _is_of_encryption(text: str) -> bool:
    return any(word in text.lower() for word in _OF_ENCRYPTION)


def _without_encryption(value: str) -> str:
    """The value without such words; as it is where no other word is in it."""
    kept = [word for word in value.split() if not _is_of_encryption(word)]
    return " ".join(kept) or value


def _through_fuse(own: Gocryptfs, seen: _Volume, *, full: bool) -> tuple[list[Comparison], str]:
    lower = seen.lower or _Lower(own=None, features=None, files=[])
    mounted = equals("mount of the server's files", f"fuse.{process_name(own)}", seen.type)
    is_there = lower.own is not None
    same = holds("the marker's file below the mount", is_there, "found", "not found")
    number = len(lower.files) if lower.searched is None else lower.searched
    searched = count(number, "file")
    hits = [file.path for file in lower.files if file.found]
    if own.cipher == "none":
        readable = present("marker below the mount", lower.own in hits)
        found = f"the marker is readable in {len(hits)} of {searched} below the mount"
        return [mounted, same, readable], found
    was_read = any(file.path == lower.own and file.size > 0 for file in lower.files)
    formats = [word for word in lower.features or () if word in FORMATS.values()]
    checks = [
        mounted,
        same,
        holds("the marker's file below", was_read, "read", "not read"),
        equals("format of the ciphertext", FORMATS[own.cipher], ", ".join(formats) or None),
        none("files below the mount in which the marker is readable", hits),
    ]
    if full:
        checks.append(holds("scope of the search below", number > 1, "every file", searched))
    return checks, f"the marker is readable in none of {searched} below the mount"


def _on_class(volume: Volume, seen: _Volume, claim: _Claim) -> tuple[list[Comparison], str, bool]:
    """The checks, what was found, and whether that is only declared."""
    same = equals("StorageClass of the claim", volume.storage_class_name or "", claim.storage_class)
    name = "encryption of the disk"
    if seen.dm_crypt:
        crypt = equals(name, "dm-crypt under the data", "dm-crypt under the data")
        return [same, crypt], f"the data lies on dm-crypt ({seen.dm_crypt})", False
    said = _declaration(claim, _is_plainly_true, by_class=claim.is_of_class)
    if said is not None or volume.on_trust:
        word = f"{said} declares it" if said else "the mode takes it on trust"
        unseen = f"not to be seen from the pod: {word}"
        return [same, exempt(name, unseen, expected="seen from the pod")], word, True
    wanted = "dm-crypt under the data, or a class or volume that declares encryption"
    neither = "neither (write onTrust: true to take it on your word)"
    if not claim.is_of_class:
        neither = f"{neither}; the class's provisioner did not make the volume"
    return [same, Comparison(name, wanted, neither, ok=False)], "", False


def _declaration(
    claim: _Claim, counts: Callable[[str], bool], *, by_class: bool = True
) -> str | None:
    """The declaration that the disk is encrypted, if there is one whose value `counts`.

    The class's is one only `by_class`.
    """
    parameters = claim.parameters if by_class else {}
    for what, values in (("the class", parameters), ("the volume", claim.attributes)):
        for key, value in values.items():
            if key.rsplit("/", 1)[-1].lower() in DECLARED and counts(value.strip().lower()):
                return f"{what}'s {key}: {value}"
    return None


def _is_plainly_true(value: str) -> bool:
    return value == "true"


def _is_no_denial(value: str) -> bool:
    return value not in _DENIALS


def process_name(own: Gocryptfs) -> str:
    """The program that serves the file system; its mounts are of type `fuse.<name>`."""
    return "passthrough" if own.cipher == "none" else "gocryptfs"
