"""Labels and owner references: the only source of both for every child object."""

from collections.abc import Mapping
from typing import Any

from encbench.api.base import API_VERSION
from encbench.api.kinds import Kind
from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec

MANAGED_BY = "app.kubernetes.io/managed-by"
COMPONENT = "app.kubernetes.io/component"
PART_OF = "app.kubernetes.io/part-of"
INSTANCE = "app.kubernetes.io/instance"
"""The campaign of a child; the release of the chart's objects."""
MANAGER = "encbench"

CAMPAIGN = "encbench.io/campaign"
CELL = "encbench.io/cell"
TESTBED = "encbench.io/testbed"
TRIAL = "encbench.io/trial"
ARM = "encbench.io/arm"
ACTIVE = "encbench.io/active"
"""`true` while the operator still has work to do on the object; removed at the end."""
SCRAPE = "encbench.io/scrape"
"""`true` on pods whose port named `metrics` Prometheus scrapes."""

USE = "encbench.io/use"
"""On an object of the user's, what encbench may use it for: a Secret as `key` or `credentials`, a
PersistentVolumeClaim as `driver`. Without it a reference is refused, because whoever writes one
need not be allowed to read the object."""
KEY, CREDENTIALS, DRIVER = "key", "credentials", "driver"

OPERATOR = "encbench.io/operator"
"""On a campaign that bears the operator's finalizer: the installation that has claimed it."""

START = "encbench.io/start"
"""Annotation of a database pod: the name of the start that it was created for."""
RESET = "encbench.io/reset"
"""Annotation of a database pod: which restored golden copy it runs on."""


def labels(component: str, **values: str) -> dict[str, str]:
    """The labels of a child: its manager, its component, and what it belongs to.

    `values` are campaign, cell, testbed, trial, arm by those names.
    """
    names = {"campaign": CAMPAIGN, "cell": CELL, "testbed": TESTBED, "trial": TRIAL, "arm": ARM}
    own = {names[key]: value for key, value in values.items()}
    if "campaign" in values:
        own[INSTANCE] = values["campaign"]
    return {MANAGED_BY: MANAGER, PART_OF: MANAGER, COMPONENT: component, **own}


def of_arm(
    component: str, spec: TestbedSpec | TrialSpec, testbed: str, **more: str
) -> dict[str, str]:
    """The labels of what belongs to a testbed or to one of its trials."""
    names = {"campaign": spec.campaign_ref.name, "cell": spec.cell, "testbed": testbed}
    return labels(component, **names, **more, arm=spec.arm.name)


def database_selector(testbed: str) -> dict[str, str]:
    """Labels that only the database pod of this testbed has."""
    return {COMPONENT: "database", TESTBED: testbed}


def selector(wanted: Mapping[str, str]) -> str:
    """These labels as a request's `labelSelector` has them."""
    return ",".join(f"{label}={value}" for label, value in sorted(wanted.items()))


def owner_reference(kind: Kind, name: str, uid: str) -> dict[str, Any]:
    """A controller reference to one of our own objects, which blocks its foreground deletion."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind.kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def metadata(
    name: str, namespace: str, own_labels: dict[str, str], owner: dict[str, Any]
) -> dict[str, Any]:
    """Metadata of a child object."""
    return {"name": name, "namespace": namespace, "labels": own_labels, "ownerReferences": [owner]}
