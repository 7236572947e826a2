"""Disks of two StorageClasses are compared in all but their encryption."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.core.evidence import DiskFacts
from encbench.core.records import IndexTestbed
from encbench.report.analysis.caveats import Facts, disks
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS

GP3 = {"type": "gp3", "iops": "3000"}
USUAL = DiskFacts(
    provisioner="ebs.csi.aws.com", parameters=GP3, mount_options=(), filesystem="ext4"
)


def facts_of(*beds: IndexTestbed, **study: Any) -> Facts:
    found = report_of(Study(concurrency=(16,), **study))
    rest = (found.groups, found.trials, (), found.provenance, ())
    return Facts(found.spec, found.resolved, *rest, testbeds=beds)


def said(*beds: IndexTestbed) -> list[str]:
    """The caveat about these testbeds, if there is one."""
    return [f"{one.weight}: {one.text}" for one in disks.unlike(facts_of(*beds))]


def bed(arm: str, disk: DiskFacts | None, generation: int = 1) -> IndexTestbed:
    return IndexTestbed(name=arm, cell="c1", arm=arm, generation=generation, disk=disk)


def beside(**changes: Any) -> str:
    """What is said of a mode whose disk differs so from the baseline's."""
    other = USUAL.model_copy(update=changes)
    (text,) = said(bed("plain", USUAL), bed("plain-control", USUAL), bed("luks", other)) or [""]
    return text.partition(". A difference")[0]


def test_disks_that_are_alike_need_no_word() -> None:
    assert beside() == ""


def test_all_that_differs_is_listed() -> None:
    found = beside(
        provisioner="other.example.com",
        parameters={"type": "io2", "throughput": "500"},
        mount_options=("noatime", "discard"),
        filesystem="xfs",
    )
    assert found == (
        "serious: The disk of luks is unlike that of plain: provisioner other.example.com against "
        "ebs.csi.aws.com, file system xfs against ext4, iops none against 3000, throughput 500 "
        "against none, type io2 against gp3 and mount options discard noatime against none"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"mount_options": None},
        {"filesystem": None},
        {"parameters": None},
        {"parameters": {**GP3, "csi.storage.k8s.io/fstype": "ext4"}},
    ],
    ids=str,
)
def test_what_one_of_them_does_not_show_is_no_difference(changes: dict[str, Any]) -> None:
    assert beside(**changes) == ""


def test_where_no_mount_shows_the_file_system_its_parameter_does() -> None:
    named = {**GP3, "fsType": "xfs"}
    assert "fsType xfs against none" in beside(parameters=named, filesystem=None)


def test_arms_are_compared_within_a_set_and_each_difference_is_shown_once() -> None:
    fast = USUAL.model_copy(update={"filesystem": "xfs"})
    alike = (bed("plain", USUAL), bed("luks", USUAL), bed("plain", fast, 2), bed("luks", fast, 2))
    assert not said(*alike)
    (text,) = said(
        *(bed("plain", USUAL), bed("luks", fast), bed("plain", USUAL, 2), bed("luks", fast, 2))
    )
    assert text.count("file system xfs against ext4") == 1


def test_dm_crypt_under_one_arm_of_two_that_name_no_class_is_a_serious_caveat() -> None:
    on, off = (USUAL.model_copy(update={"dm_crypt": seen}) for seen in (True, False))
    (caveat,) = disks.some_on_dm_crypt(facts_of(bed("plain", off), bed("tde", on)))
    assert caveat.weight == "serious"
    assert caveat.text.startswith("dm-crypt was under the data of tde but not of plain, although")
    (caveat,) = disks.some_on_dm_crypt(facts_of(bed("plain", on), bed("tde", off)))
    assert caveat.text.startswith("dm-crypt was under the data of plain but not of tde, although")
    for baseline, other in ((on, on), (off, off), (USUAL, on), (on, USUAL), (on, None)):
        assert not [*disks.some_on_dm_crypt(facts_of(bed("plain", baseline), bed("tde", other)))]
    by_class = facts_of(bed("plain", off), bed("tde", on), modes={"tde": ENCRYPTED_CLASS})
    assert not [*disks.some_on_dm_crypt(by_class)]


def test_disks_made_by_hand_are_compared_in_what_was_seen_of_them() -> None:
    by_hand = DiskFacts(provisioner="kubernetes.io/no-provisioner", filesystem="ext4")
    assert not said(bed("plain", by_hand), bed("tde", by_hand))
    (text,) = said(bed("plain", USUAL), bed("tde", by_hand))
    assert (
        "that of plain: provisioner kubernetes.io/no-provisioner against ebs.csi.aws.com. A dif"
        in text
    )
    on, off = (by_hand.model_copy(update={"dm_crypt": seen}) for seen in (True, False))
    assert [*disks.some_on_dm_crypt(facts_of(bed("plain", off), bed("tde", on)))]


def test_nothing_is_said_without_the_baseline_s_disk() -> None:
    assert not said(bed("plain", None), bed("luks", USUAL))
    assert not said(bed("luks", USUAL))


def test_a_start_on_zfs_is_not_cold() -> None:
    facts = facts_of(
        bed("plain", USUAL), bed("zfs", USUAL.model_copy(update={"filesystem": "zfs"}))
    )
    assert not [*disks.kept_files(facts)], "a warm-up fills each cache"
    spec = facts.spec.model_copy(update={"cache": "Cold"})
    (caveat,) = disks.kept_files(replace(facts, spec=spec))
    assert caveat.weight == "serious"
    assert "The disks of zfs are ZFS, which keeps them decrypted" in caveat.text
    assert not [*disks.kept_files(replace(facts, spec=spec, testbeds=[bed("plain", USUAL)]))]
