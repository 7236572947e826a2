"""Deleting a campaign in the middle leaves no child, no volume and no half of a trial."""

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, trials
from tests.faults.running import wait_for_running_trial, with_record
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "deleted"
KINDS = (
    "campaigns,testbeds,trials,overheadreports,statefulsets,jobs,pods,services,secrets,configmaps,"
    "persistentvolumeclaims"
)


def test_nothing_is_left(installed: Kube, start: Start) -> None:
    volumes = _volumes(installed)
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 3}))
    trial = wait_for_running_trial(installed, NAME, finished=1)
    finished = {one["metadata"]["uid"] for one in with_record(trials(installed, NAME))}
    assert _volumes(installed) - volumes, "the campaign has volumes of its own"
    prefix, own = trial["spec"]["storagePrefix"], trial["metadata"]["uid"]
    assert own not in finished
    with bucket(installed, "operator") as store:
        store.put(f"{prefix}/trials/{own}/client-0/output.log", b"half of a trial")

    installed.kubectl("delete", "campaign", NAME, "-n", NAMESPACE, "--wait", "--timeout=120s")

    def left() -> list[str]:
        found = installed.list(KINDS, NAMESPACE, "app.kubernetes.io/managed-by=encbench")
        return [f"{o['kind']} {o['metadata']['name']}" for o in found]

    wait_for("the end of all children", lambda: not left(), 90)
    wait_for("the release of the volumes", lambda: not _volumes(installed) - volumes, 60)
    with bucket(installed) as store:
        keys = store.keys(prefix)
        folders = {key.split("/trials/")[1].split("/")[0] for key in keys if "/trials/" in key}
        assert folders == finished
        for folder in folders:
            assert f"{prefix}/trials/{folder}/trial.json" in keys, "only finished trials remain"


def _volumes(kube: Kube) -> set[str]:
    text = kube.kubectl("get", "persistentvolumes", "-o", "name")
    return set(text.split())
