"""What the owner of a Secret or a claim is asked to do."""

import pytest

from encbench.kube.labels import CREDENTIALS, DRIVER, KEY, USE
from encbench.kube.use import unmarked
from encbench.ports import Body


def marked(value: str | None, kind: str = "Secret") -> Body:
    labels = {} if value is None else {USE: value}
    return {"kind": kind, "metadata": {"name": "own", "namespace": "bench", "labels": labels}}


def test_what_bears_the_mark_is_taken() -> None:
    assert unmarked(marked(KEY), KEY) is None


@pytest.mark.parametrize(("value", "last"), [(None, ""), ("keys", " --overwrite")])
def test_a_mark_that_is_missing_or_no_mark_is_set(value: str | None, last: str) -> None:
    assert unmarked(marked(value), KEY) == (
        "Secret own is not marked for use as an encryption key: kubectl label secret own "
        f"--namespace bench encbench.io/use=key{last}"
    )


@pytest.mark.parametrize(
    ("body", "use", "advice"),
    [
        (
            marked(CREDENTIALS),
            KEY,
            "Secret own is marked for use as a login: put the key into a Secret of its own, with "
            "the label encbench.io/use=key",
        ),
        (
            marked(KEY),
            CREDENTIALS,
            "Secret own is marked for use as an encryption key: put the login into a Secret of its "
            "own, with the label encbench.io/use=credentials",
        ),
        (
            marked(KEY, "PersistentVolumeClaim"),
            DRIVER,
            "PersistentVolumeClaim own is marked for use as an encryption key: put the driver into "
            "a PersistentVolumeClaim of its own, with the label encbench.io/use=driver",
        ),
    ],
)
def test_what_is_marked_for_another_use_keeps_it(body: Body, use: str, advice: str) -> None:
    assert unmarked(body, use) == advice
