"""What every `ports.Cluster` must do: one class of tests for the real adapter and for the fake.

A subclass brings the fixtures `cluster`, `namespace` and `other_namespace` (both empty, of this
test alone).
"""

import copy

import pytest

from encbench.api import kinds
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, JOB, POD, SECRET, TRIAL
from encbench.ports import Cluster, Conflict, Rejected
from tests.support.manifests import body, config_map, job

NO_UID = "00000000-0000-4000-8000-00000000dead"


class ClusterContract:
    """The contract."""

    # -- reading

    async def test_what_is_not_there_reads_as_none(self, cluster: Cluster, namespace: str) -> None:
        assert await cluster.get(CAMPAIGN, namespace, "none") is None
        assert await cluster.list(CAMPAIGN, namespace) == []
        assert await cluster.get(kinds.NODE, "", "none") is None

    async def test_reads_what_was_created(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        assert await cluster.get(CAMPAIGN, namespace, "study") == made
        assert await cluster.list(CAMPAIGN, namespace) == [made]
        assert (made["apiVersion"], made["kind"]) == ("encbench.io/v1alpha1", "Campaign")
        meta = made["metadata"]
        assert meta["uid"] and meta["resourceVersion"] and meta["creationTimestamp"]
        assert meta["generation"] == 1
        assert "managedFields" not in meta

    async def test_lists_by_labels(self, cluster: Cluster, namespace: str) -> None:
        for name, color, size in (("a", "red", "s"), ("b", "red", "l"), ("c", "blue", "l")):
            one = config_map(name, namespace)
            one["metadata"]["labels"] = {"color": color, "size": size}
            await cluster.create(CONFIG_MAP, one)

        async def names(**labels: str) -> list[str]:
            found = await cluster.list(CONFIG_MAP, namespace, labels)
            assert all(one["kind"] == "ConfigMap" for one in found)
            return [one["metadata"]["name"] for one in found]

        assert await names(color="red") == ["a", "b"]
        assert await names(color="red", size="l") == ["b"]
        assert await names(color="green") == []

        pages = [page async for page in cluster.pages(CONFIG_MAP, namespace, {"color": "red"})]
        assert [one["metadata"]["name"] for page in pages for one in page] == ["a", "b"]

    async def test_lists_a_namespace_or_the_cluster(
        self, cluster: Cluster, namespace: str, other_namespace: str
    ) -> None:
        for place in (namespace, other_namespace):
            await cluster.create(CONFIG_MAP, config_map("here", place))

        async def places(where: str | None) -> set[str]:
            found = await cluster.list(CONFIG_MAP, where)
            return {one["metadata"]["namespace"] for one in found}

        assert await places(None) >= {namespace, other_namespace}
        assert await places(namespace) == {namespace}
        assert await places(other_namespace) == {other_namespace}

    # -- create

    async def test_a_name_is_taken_once(self, cluster: Cluster, namespace: str) -> None:
        await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        with pytest.raises(Conflict):
            await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))

    async def test_refuses_what_does_not_fit(self, cluster: Cluster, namespace: str) -> None:
        with pytest.raises(Rejected, match="margin"):
            await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace, margin=2.0))
        with pytest.raises(Rejected, match="unknownField"):
            await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace, unknownField=1))
        with pytest.raises(Rejected, match=r"metadata\.name"):
            await cluster.create(CAMPAIGN, body(CAMPAIGN, "Not_A_Name", namespace))
        assert await cluster.list(CAMPAIGN, namespace) == []

    async def test_create_fills_defaults_and_drops_status(
        self, cluster: Cluster, namespace: str
    ) -> None:
        wanted = {**body(CAMPAIGN, "study", namespace), "status": {"phase": "Succeeded"}}
        made = await cluster.create(CAMPAIGN, wanted)
        assert made["status"] == {
            "observedGeneration": -1,
            "phase": "Pending",
            "progress": {"planned": 0, "active": 0, "succeeded": 0, "invalid": 0, "failed": 0},
            "step": "",
            "verdict": "",
        }
        trial = {**body(TRIAL, "trial", namespace), "status": {"phase": "Succeeded"}}
        assert "status" not in await cluster.create(TRIAL, trial)
        assert made["spec"]["blocks"] == {
            "min": 6,
            "max": 30,
            "maxReplacements": 3,
            "perTestbed": 0,
            "solo": 0,
            "extensions": 0,
        }
        assert made["spec"]["suspend"] is False

    # -- apply

    async def test_apply_creates_and_then_changes(self, cluster: Cluster, namespace: str) -> None:
        first = await cluster.apply(CONFIG_MAP, config_map("one", namespace, a="1", b="2"))
        again = await cluster.apply(CONFIG_MAP, config_map("one", namespace, a="1", b="2"))
        assert again["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        changed = await cluster.apply(CONFIG_MAP, config_map("one", namespace, a="1", c="3"))
        assert changed["data"] == {"a": "1", "c": "3"}
        assert changed["metadata"]["uid"] == first["metadata"]["uid"]
        assert changed["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]

    async def test_apply_leaves_what_others_wrote(self, cluster: Cluster, namespace: str) -> None:
        await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        await cluster.patch_metadata(CAMPAIGN, namespace, "study", labels={"team": "db"})
        live = await cluster.get(CAMPAIGN, namespace, "study")
        assert live is not None
        await cluster.apply_status(CAMPAIGN, {**live, "status": {"phase": "Running"}})
        after = await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace, suspend=True))
        assert after["status"]["phase"] == "Running"
        assert after["metadata"]["labels"] == {"team": "db"}
        assert after["metadata"]["generation"] == 2

    async def test_apply_refuses_what_does_not_fit(self, cluster: Cluster, namespace: str) -> None:
        with pytest.raises(Rejected, match="margin"):
            await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace, margin=2.0))
        with pytest.raises(Rejected, match="unknownField"):
            await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace, unknownField=1))

    async def test_frozen_specs_stay(self, cluster: Cluster, namespace: str) -> None:
        await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace, seed=1))
        with pytest.raises(Rejected, match="apply a new campaign under another name"):
            await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace, seed=2))
        await cluster.create(TRIAL, body(TRIAL, "trial", namespace))
        with pytest.raises(Rejected, match="it is frozen"):
            await cluster.apply(TRIAL, body(TRIAL, "trial", namespace, block=2))

    async def test_what_kubernetes_fixes_stays(self, cluster: Cluster, namespace: str) -> None:
        await cluster.apply(JOB, job("one", namespace))
        with pytest.raises(Rejected):
            await cluster.apply(JOB, job("one", namespace, image="registry.example.com/other:1"))
        secret = {"metadata": {"name": "one", "namespace": namespace}, "immutable": True}
        await cluster.apply(SECRET, {**secret, "data": {"key": "YQ=="}})
        with pytest.raises(Rejected):
            await cluster.apply(SECRET, {**secret, "data": {"key": "Yg=="}})

    async def test_apply_to_another_incarnation_is_a_conflict(
        self, cluster: Cluster, namespace: str
    ) -> None:
        await cluster.apply(CONFIG_MAP, config_map("one", namespace))
        other = config_map("one", namespace, a="1")
        other["metadata"]["uid"] = NO_UID
        with pytest.raises(Conflict):
            await cluster.apply(CONFIG_MAP, other)

    # -- status

    async def test_status_is_replaced_and_nothing_else(
        self, cluster: Cluster, namespace: str
    ) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        first = await cluster.apply_status(
            CAMPAIGN, {**made, "status": {"phase": "Running", "step": "load"}}
        )
        meddling = copy.deepcopy(first)
        meddling["spec"]["suspend"] = True
        meddling["status"] = {"phase": "Succeeded"}
        second = await cluster.apply_status(CAMPAIGN, meddling)
        assert second["status"]["phase"] == "Succeeded"
        assert second["status"]["step"] == ""
        assert second["spec"]["suspend"] is False
        assert second["metadata"]["generation"] == 1
        assert await cluster.get(CAMPAIGN, namespace, "study") == second

    async def test_the_same_status_changes_nothing(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        first = await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
        assert await cluster.apply_status(CAMPAIGN, first) == first

    async def test_a_stale_status_is_a_conflict(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
        with pytest.raises(Conflict):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Failed"}})

    async def test_the_status_of_what_is_gone_is_a_conflict(
        self, cluster: Cluster, namespace: str
    ) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        await cluster.delete(CAMPAIGN, namespace, "study", made["metadata"]["uid"])
        with pytest.raises(Conflict):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
        await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        with pytest.raises(Conflict):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})

    async def test_refuses_a_status_that_does_not_fit(
        self, cluster: Cluster, namespace: str
    ) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        with pytest.raises(Rejected, match="phase"):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "x" * 99}})
        with pytest.raises(Rejected, match="unknownField"):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"unknownField": 1}})
        del made["metadata"]["resourceVersion"]
        with pytest.raises(Rejected, match="resourceVersion"):
            await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})

    # -- metadata

    async def test_patches_labels(self, cluster: Cluster, namespace: str) -> None:
        one = body(CAMPAIGN, "study", namespace)
        one["metadata"]["labels"] = {"keep": "1", "drop": "1"}
        await cluster.create(CAMPAIGN, one)
        patched = await cluster.patch_metadata(
            CAMPAIGN, namespace, "study", labels={"drop": None, "add": "1", "absent": None}
        )
        live = await cluster.get(CAMPAIGN, namespace, "study")
        assert live is not None
        assert live == patched
        assert live["metadata"]["labels"] == {"keep": "1", "add": "1"}
        assert live["metadata"]["generation"] == 1

    async def test_patches_only_that_version(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        version = made["metadata"]["resourceVersion"]
        await cluster.patch_metadata(
            CAMPAIGN, namespace, "study", labels={"a": "1"}, resource_version=version
        )
        with pytest.raises(Conflict):
            await cluster.patch_metadata(
                CAMPAIGN, namespace, "study", labels={"a": "2"}, resource_version=version
            )

    async def test_patching_what_is_gone_does_nothing(
        self, cluster: Cluster, namespace: str
    ) -> None:
        patched = await cluster.patch_metadata(
            CAMPAIGN, namespace, "none", labels={"a": "1"}, finalizers=[]
        )
        assert patched is None

    # -- delete

    async def test_deletes_one_incarnation(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        await cluster.delete(CAMPAIGN, namespace, "study", NO_UID)
        assert await cluster.get(CAMPAIGN, namespace, "study") is not None
        await cluster.delete(CAMPAIGN, namespace, "study", made["metadata"]["uid"])
        assert await cluster.get(CAMPAIGN, namespace, "study") is None
        await cluster.delete(CAMPAIGN, namespace, "study", made["metadata"]["uid"])

    async def test_finalizers_hold_an_object(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        uid = made["metadata"]["uid"]
        await cluster.patch_metadata(
            CAMPAIGN, namespace, "study", finalizers=["encbench.io/artefacts"]
        )
        for _ in range(2):
            await cluster.delete(CAMPAIGN, namespace, "study", uid)
        live = await cluster.get(CAMPAIGN, namespace, "study")
        assert live is not None
        assert live["metadata"]["deletionTimestamp"]
        with pytest.raises(Rejected, match="finalizers"):
            await cluster.patch_metadata(
                CAMPAIGN, namespace, "study", finalizers=["encbench.io/artefacts", "encbench.io/x"]
            )
        done = await cluster.apply_status(CAMPAIGN, {**live, "status": {"phase": "Failed"}})
        assert done["status"]["phase"] == "Failed"
        await cluster.patch_metadata(CAMPAIGN, namespace, "study", finalizers=[])
        assert await cluster.get(CAMPAIGN, namespace, "study") is None

    # -- the rest

    async def test_no_log_is_empty(self, cluster: Cluster, namespace: str) -> None:
        assert await cluster.logs(namespace, "none", "server", 10) == ""
        assert await cluster.list(POD, namespace) == []

    async def test_events_never_fail(self, cluster: Cluster, namespace: str) -> None:
        made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
        await cluster.event(CAMPAIGN, made, "Accepted", "12 trials planned")
        made["metadata"]["namespace"] = "no-such-namespace"
        await cluster.event(CAMPAIGN, made, "Accepted", "x" * 5000, warning=True)
