"""Labels and owner references of children."""

import pytest

from encbench.api.kinds import CAMPAIGN
from encbench.kube import labels


def test_a_child_says_whose_it_is() -> None:
    owner = labels.owner_reference(CAMPAIGN, "study", "uid-1")
    own = labels.labels("client", campaign="study", trial="study-t1")
    meta = labels.metadata("study-t1", "ns", own, owner)
    assert meta["labels"] == {
        "app.kubernetes.io/managed-by": "encbench",
        "app.kubernetes.io/part-of": "encbench",
        "app.kubernetes.io/instance": "study",
        "app.kubernetes.io/component": "client",
        "encbench.io/campaign": "study",
        "encbench.io/trial": "study-t1",
    }
    assert meta["ownerReferences"] == [
        {
            "apiVersion": "encbench.io/v1alpha1",
            "kind": "Campaign",
            "name": "study",
            "uid": "uid-1",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def test_a_label_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        labels.labels("client", campain="study")
