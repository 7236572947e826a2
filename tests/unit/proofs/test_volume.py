"""Judging the volume under a database, beside the engine's own proof."""

from collections.abc import Mapping
from typing import Any

import pytest

from encbench.admission.modes import differs
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.evidence import DiskFacts, Proof
from encbench.proofs import volume
from encbench.proofs.volume import judge
from tests.support.testbeds import instance
from tests.unit.engines.judged import failed

LUKS = "CRYPT-LUKS2-0123456789abcdef-data"
ENGINE = Proof(ok=True, summary="plaintext is in force: the marker is readable in 3 of 9 files")
BROKEN = Proof(ok=False, summary="plaintext is not proven: log_bin")


def fuse(cipher: str = "AES-GCM", **more: Any) -> EncryptionModeSpec:
    return mode({"gocryptfs": {"cipher": cipher, **more}})


def by_class(**more: Any) -> EncryptionModeSpec:
    return mode({"storageClassName": "encrypted", **more})


def mode(volume: Mapping[str, Any]) -> EncryptionModeSpec:
    return EncryptionModeSpec.model_validate({"atRest": {"method": "volume", "volume": volume}})


PLAIN = EncryptionModeSpec()


def below(*files: tuple[str, bool], **changes: Any) -> dict[str, Any]:
    """Evidence of a FUSE mount; each file below with whether the marker is readable in it."""
    found = [{"path": path, "bytes": 4096, "found": hit} for path, hit in files]
    lower: dict[str, Any] = {"own": "a/b", "features": ["HKDF", "GCMIV128", "DirIV"]}
    lower |= {"files": found, "searched": len(found)}
    own = {key: changes.pop(key) for key in list(changes) if key in lower}
    volume = {"type": "fuse.gocryptfs", "dmCrypt": None, "lower": {**lower, **own}, **changes}
    return {"volume": volume}


def disk(crypt: str | None = None, **claim: Any) -> dict[str, Any]:
    """Evidence of a disk of a class."""
    volume = {"type": "ext4", "dmCrypt": crypt, "lower": None}
    return {"volume": volume, "claim": {"storageClass": "encrypted", **claim}}


QUIET = ("a/b", False), ("gocryptfs.conf", False)


def test_files_below_are_counted_whether_the_agent_lists_them_or_not() -> None:
    """An earlier agent lists all of them and counts none."""
    now, before = below(QUIET[0], searched=2), below(*QUIET)
    del before["volume"]["lower"]["searched"]
    (one, other) = (judge(ENGINE, seen, fuse(), full=True) for seen in (now, before))
    assert one.ok
    assert (one.summary, one.checks) == (other.summary, other.checks)
    assert "in none of 2 files below" in one.summary


@pytest.mark.parametrize("full", [False, True])
def test_gocryptfs_in_force(full: bool) -> None:
    proof = judge(ENGINE, below(*(QUIET if full else QUIET[:1])), fuse(), full=full)
    assert proof.ok, proof.summary
    assert proof.summary.startswith(
        "volume encryption by gocryptfs with AES-GCM is in force: the marker is readable in none of"
    )
    assert proof.summary.endswith(ENGINE.summary)


BREAKAGES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("beside the mount", below(*QUIET, type="ext4"), {"mount of the server's files"}),
    (
        "the pass-through in place of the cipher",
        below(*QUIET, type="fuse.passthrough", features=None),
        {"mount of the server's files", "format of the ciphertext"},
    ),
    (
        "readable below",
        below(("a/b", True), ("gocryptfs.conf", False)),
        {"files below the mount in which the marker is readable"},
    ),
    (
        "readable somewhere else below",
        below(("a/b", False), ("a/c", True)),
        {"files below the mount in which the marker is readable"},
    ),
    (
        "another disk below",
        below(("x", False), ("y", False), own=None),
        {"the marker's file below the mount", "the marker's file below"},
    ),
    ("nothing searched", below(), {"the marker's file below", "scope of the search below"}),
    ("only one file", below(QUIET[0]), {"scope of the search below"}),
    (
        "another cipher",
        below(*QUIET, features=["HKDF", "XChaCha20Poly1305"]),
        {"format of the ciphertext"},
    ),
    ("no configuration", below(*QUIET, features=None), {"format of the ciphertext"}),
    (
        "no facts of the disk",
        below(*QUIET) | {"volume": {"type": "fuse.gocryptfs", "dmCrypt": None, "lower": None}},
        {
            "the marker's file below the mount",
            "the marker's file below",
            "format of the ciphertext",
            "scope of the search below",
        },
    ),
    ("an agent of an earlier version", {"volume": None}, {"evidence"}),
    ("half an answer", {"volume": {"type": "ext4"}}, {"evidence"}),
]


@pytest.mark.parametrize(("what", "evidence", "names"), BREAKAGES, ids=[b[0] for b in BREAKAGES])
def test_gocryptfs_not_in_force(what: str, evidence: dict[str, Any], names: set[str]) -> None:
    proof = judge(ENGINE, evidence, fuse(), full=True)
    assert failed(proof) == names
    assert not proof.ok
    assert "is not proven" in proof.summary


def test_the_other_cipher() -> None:
    chacha = below(*QUIET, features=["HKDF", "XChaCha20Poly1305"])
    assert judge(ENGINE, chacha, fuse("XChaCha20-Poly1305"), full=True).ok
    assert not judge(ENGINE, below(*QUIET), fuse("XChaCha20-Poly1305"), full=True).ok


def test_the_pass_through_is_proven_to_be_plaintext() -> None:
    through = below(("a/b", True), type="fuse.passthrough", features=None)
    proof = judge(ENGINE, through, fuse("none"), full=False)
    assert proof.ok, proof.summary
    assert "a FUSE pass-through without encryption is in force" in proof.summary
    encrypted = below(("a/b", False), type="fuse.passthrough", features=None)
    assert failed(judge(ENGINE, encrypted, fuse("none"), full=False)) == {"marker below the mount"}
    beside = below(("a/b", True), type="ext4", features=None)
    assert failed(judge(ENGINE, beside, fuse("none"), full=False)) == {
        "mount of the server's files"
    }


def test_a_server_that_is_not_in_plaintext_on_its_mount_is_said_first() -> None:
    proof = judge(BROKEN, below(*QUIET), fuse(), full=True)
    assert not proof.ok
    assert proof.summary.startswith(BROKEN.summary)


# -- classes


def test_dm_crypt_under_the_data_is_proof() -> None:
    proof = judge(ENGINE, disk(LUKS), by_class(), full=True)
    assert proof.ok
    assert f"the data lies on dm-crypt ({LUKS})" in proof.summary
    assert not any(check.name.startswith("exempt") for check in proof.checks)


@pytest.mark.parametrize(
    ("claim", "who"),
    [
        ({"parameters": {"type": "gp3", "encrypted": "true"}}, "the class's encrypted: true"),
        ({"attributes": {"Encrypted": "True"}}, "the volume's Encrypted: True"),
        ({"parameters": {"csi.example.com/encryption": "true"}}, "the class's csi.example.com/"),
    ],
)
def test_what_is_declared_counts_and_is_no_proof(claim: dict[str, Any], who: str) -> None:
    proof = judge(ENGINE, disk(None, **claim), by_class(), full=True)
    assert proof.ok
    (exempt,) = [check for check in proof.checks if check.name.startswith("exempt")]
    assert "not to be seen from the pod" in exempt.detail
    assert who in exempt.detail
    assert "which nothing in the pod can show" in proof.summary


EBS, IN_TREE = "ebs.csi.aws.com", "kubernetes.io/aws-ebs"
BY_HAND = "kubernetes.io/no-provisioner"
ENCRYPTS = {"parameters": {"type": "gp3", "encrypted": "true"}}


@pytest.mark.parametrize(
    ("maker", "provisioner", "counts"),
    [
        (EBS, EBS, True),
        (IN_TREE, EBS, True),
        (EBS, IN_TREE, True),
        (IN_TREE, IN_TREE, True),
        (None, EBS, False),
        ("rancher.io/local-path", EBS, False),
        ("local-volume-provisioner-node-1", BY_HAND, False),
        (None, None, False),
    ],
)
def test_a_class_declares_only_what_its_provisioner_has_made(
    maker: str | None, provisioner: str | None, counts: bool
) -> None:
    """A volume that was made by hand may name any class."""
    claim = {**ENCRYPTS, "provisioner": provisioner, "provisionedBy": maker}
    evidence = disk(None, **claim)
    proof = judge(ENGINE, evidence, by_class(), full=True)
    assert proof.ok is counts
    by_hand = "on your word); the class's provisioner did not make the volume" in proof.summary
    assert by_hand is not counts
    own = judge(
        ENGINE, disk(None, **claim, attributes={"encrypted": "true"}), by_class(), full=True
    )
    assert own.ok, "what the volume itself says counts"
    assert not judge(ENGINE, evidence, PLAIN, full=True, plain=True).ok, "and there is doubt"


@pytest.mark.parametrize(
    ("maker", "provisioner", "made_by", "parameters"),
    [
        (IN_TREE, EBS, EBS, {"type": "gp3"}),
        (None, EBS, BY_HAND, None),
        ("rancher.io/local-path", EBS, "rancher.io/local-path", None),
        ("local-volume-provisioner-node-1", BY_HAND, BY_HAND, {"type": "gp3"}),
        (EBS, None, EBS, None),
        (None, None, BY_HAND, None),
    ],
)
def test_of_a_disk_that_its_class_did_not_make_all_is_known_but_its_parameters(
    maker: str | None, provisioner: str | None, made_by: str, parameters: dict[str, str] | None
) -> None:
    claim = {**ENCRYPTS, "provisioner": provisioner, "provisionedBy": maker}
    assert volume.disk(disk(LUKS, **claim, mountOptions=["noatime"])) == DiskFacts(
        provisioner=made_by,
        parameters=parameters,
        mount_options=None if parameters is None else ("noatime",),
        filesystem="ext4",
        dm_crypt=True,
    )


@pytest.mark.parametrize(
    "claim",
    [
        {},
        {"parameters": {"encrypted": "false"}},
        {"parameters": {"encryption": "data-at-rest"}},
        {"parameters": {"type": "encrypted"}},
        {"parameters": {"kmsKeyId": "arn:aws:kms:1"}},
    ],
)
def test_without_a_word_of_it_nothing_is_measured(claim: dict[str, Any]) -> None:
    proof = judge(ENGINE, disk(None, **claim), by_class(), full=True)
    assert failed(proof) == {"encryption of the disk"}
    assert "write onTrust: true" in proof.summary
    trusted = judge(ENGINE, disk(None, **claim), by_class(onTrust=True), full=True)
    assert trusted.ok
    assert "the mode takes it on trust" in trusted.summary


def test_another_class_is_not_the_one() -> None:
    other = disk(LUKS, storageClass="standard")
    assert failed(judge(ENGINE, other, by_class(), full=True)) == {"StorageClass of the claim"}
    assert failed(judge(ENGINE, disk(LUKS) | {"claim": {}}, by_class(), full=True)) == {
        "StorageClass of the claim"
    }


# -- other modes


def test_encryption_that_nobody_asked_for_is_noted() -> None:
    proof = judge(ENGINE, disk(LUKS), PLAIN, full=True)
    assert proof.ok
    (note,) = proof.checks
    assert note.name == "exempt: the disk"
    assert LUKS in note.detail
    assert judge(ENGINE, disk(), PLAIN, full=True) == ENGINE
    assert judge(ENGINE, {}, PLAIN, full=True) == ENGINE
    declared = judge(ENGINE, disk(None, parameters={"encrypted": "true"}), PLAIN, full=True)
    assert declared.ok
    (note,) = declared.checks
    assert (note.name, note.detail) == (
        "exempt: the disk",
        "expected anything; observed encryption declared by the class's encrypted: true",
    )


@pytest.mark.parametrize(
    ("evidence", "what"),
    [
        (disk(LUKS), f"dm-crypt under the data ({LUKS})"),
        (disk(None, parameters={"encrypted": "true"}), "declared by the class's encrypted: true"),
        (disk(None, attributes={"Encrypted": "True"}), "declared by the volume's Encrypted: True"),
        (
            disk(None, parameters={"encryption": "data-at-rest"}),
            "declared by the class's encryption: data-at-rest",
        ),
        (disk(None, parameters={"encrypted": "yes"}), "declared by the class's encrypted: yes"),
        ({}, "evidence: expected complete; observed volume"),
    ],
)
def test_beside_an_encrypted_class_an_encrypted_disk_is_not_plaintext(
    evidence: dict[str, Any], what: str
) -> None:
    proof = judge(ENGINE, evidence, PLAIN, full=True, plain=True)
    assert not proof.ok
    assert proof.summary.startswith("the volume is not in plaintext, although another arm")
    assert what in proof.summary
    assert judge(ENGINE, evidence, PLAIN, full=True).ok, "no arm claims that its disk differs"


@pytest.mark.parametrize("value", ["false", "Off", "no", "none", "disabled", "", " 0 "])
def test_a_class_that_declares_no_encryption_is_plaintext(value: str) -> None:
    denied = disk(None, parameters={"encryption": value})
    assert judge(ENGINE, denied, PLAIN, full=True, plain=True).ok
    assert judge(ENGINE, denied, PLAIN, full=True) == ENGINE


def test_a_disk_of_which_nothing_says_that_it_is_encrypted_is_plaintext() -> None:
    proof = judge(ENGINE, disk(), PLAIN, full=True, plain=True)
    assert proof.ok
    assert proof.summary.endswith("; nothing shows or declares encryption of its disk")
    through = below(("a/b", True), type="fuse.passthrough", features=None)
    assert judge(ENGINE, through, fuse("none"), full=False, plain=True).ok
    through["claim"] = {"parameters": {"encrypted": "true"}}
    assert not judge(ENGINE, through, fuse("none"), full=False, plain=True).ok


def test_a_class_that_is_the_templates_own_is_refused() -> None:
    def of(class_name: str | None) -> InstanceTemplateSpec:
        named = {} if class_name is None else {"className": class_name}
        return InstanceTemplateSpec.model_validate(instance(storage={"size": "1Gi", **named}))

    (said,) = differs(of("encrypted"), by_class())
    assert "which would encrypt the baseline too" in said.text
    (said,) = differs(of(None), by_class(), defaults={"encrypted"})
    assert (
        "is encrypted, the cluster's default class, which would encrypt the baseline" in said.text
    )
    assert not [*differs(of(None), by_class(), defaults={"standard"})]
    assert not [*differs(of("standard"), by_class(), defaults={"encrypted"})]
    assert not [*differs(of(None), fuse(), defaults={"encrypted"})]
    assert not [*differs(of("standard"), by_class())]
    assert not [*differs(of(None), by_class())]
    assert not [*differs(of("encrypted"), fuse())]
    assert not [*differs(of("encrypted"), PLAIN)]


def test_what_a_disk_is_apart_from_its_encryption() -> None:
    parameters = {
        "type": "io2",
        "encrypted": "true",
        "kmsKeyId": "alias/mine",
        "csi.storage.k8s.io/fstype": "xfs",
        "csi.storage.k8s.io/node-stage-secret-name": "mine",
    }
    claim: dict[str, Any] = {"provisioner": "csi.example.com", "parameters": parameters}
    found = volume.disk(disk(LUKS, **claim, mountOptions=["noatime"]))
    assert found == DiskFacts(
        provisioner="csi.example.com",
        parameters={"type": "io2", "csi.storage.k8s.io/fstype": "xfs"},
        mount_options=("noatime",),
        filesystem="ext4",
        dm_crypt=True,
    )
    earlier = volume.disk(disk(**claim))
    assert earlier is not None and earlier.mount_options is None
    beneath = volume.disk({**below(*QUIET), "claim": claim})
    assert beneath is not None and beneath.filesystem is None, "that is the mode's"
    assert beneath.dm_crypt is None, "an agent of an earlier version did not look below"
    encrypted = volume.disk({**below(*QUIET, dmCrypt=LUKS), "claim": claim})
    assert encrypted is not None and encrypted.dm_crypt


RBD, CEPHFS = "rbd.csi.ceph.com", "rook-ceph.cephfs.csi.ceph.com"


@pytest.mark.parametrize(
    ("provisioner", "parameters", "by_file"),
    [
        (RBD, {"encrypted": "true", "encryptionType": "file"}, True),
        (RBD, {"encrypted": "true", "encryptionType": "block"}, None),
        (RBD, {"encrypted": "true"}, None),
        (CEPHFS, {"encrypted": "true", "encryptionType": "file"}, True),
        (CEPHFS, {"encrypted": "true"}, True),
        (CEPHFS, {"encrypted": "false"}, None),
        (CEPHFS, {}, None),
    ],
)
def test_a_class_may_have_files_encrypted_instead_of_the_device(
    provisioner: str, parameters: dict[str, str], by_file: bool | None
) -> None:
    """As ceph-csi's do, by fscrypt, and those of CephFS by default."""
    found = volume.disk(disk(provisioner=provisioner, parameters=parameters))
    assert found is not None and found.by_file is by_file


@pytest.mark.parametrize(
    ("layers", "rest"),
    [("drbd luks storage", "drbd storage"), ("drbd storage", "drbd storage"), ("luks", "luks")],
)
def test_a_layer_of_encryption_is_no_other_disk(layers: str, rest: str) -> None:
    parameters = {"linstor.csi.linbit.com/layerList": layers}
    found = volume.disk(disk(provisioner="linstor.csi.linbit.com", parameters=parameters))
    assert found is not None
    assert found.parameters == {"linstor.csi.linbit.com/layerList": rest}


@pytest.mark.parametrize("claim", [{}, {"provisioner": None}], ids=["no class", "deleted"])
def test_a_disk_of_no_known_class_is_unknown(claim: dict[str, Any]) -> None:
    assert volume.disk(disk(**claim)) is None
    assert volume.disk({}) is None
