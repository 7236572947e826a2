"""Names of children: they fit, and different parts give different ones."""

from encbench.core.naming import MAX_NAME, child_name

NIGHTS = [f"nightly-orders-db-encryption-overhead-2026-11-{day}" for day in (28, 29)]


def test_a_short_name_is_its_parts() -> None:
    assert child_name("Study", "c0", 7, "my_mode") == "study-c0-7-my-mode"


def test_a_long_one_is_cut_and_ends_with_a_hash_of_all_of_it() -> None:
    for digits in (8, 16):
        cut = [child_name(night, "c1234567", "plain", digits=digits) for night in NIGHTS]
        heads, hashes = zip(*(name.rsplit("-", 1) for name in cut), strict=True)
        assert len(set(heads)) == 1, "the date is cut off"
        assert len(set(hashes)) == 2
        assert {len(one) for one in hashes} == {digits}
        assert max(map(len, cut)) <= MAX_NAME


def test_names_of_earlier_releases_stay() -> None:
    """A campaign that is under way at an upgrade finds its Trials by them."""
    parts = ("c1234567", "0a1b2c3d", "t16", "b01", 1, "plain")
    assert child_name(NIGHTS[0], *parts) == "nightly-orders-db-encryption-overhead-2026-37cb6e7c"
