"""Where a campaign names no image: the installation's, judged and frozen like one of its own."""

from typing import Any

import pytest

from encbench import __version__
from encbench.admission.checks import admit
from encbench.admission.gather import Allowed, Installed
from encbench.admission.images import ENCLAVE, SERVERS, Images
from encbench.api.campaign import CampaignSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.cli.manifests import Manifests, Offline
from encbench.core.problem import Reason
from tests.support import manifests

TPCC = f"docker.io/encbench/tpcc:{__version__}"
RESOURCES = {"cpu": "1", "memory": "1Gi"}
OWN = "registry.example.com/mine:1"
INSTALLED = Images(
    servers={**SERVERS, "mysql": "r.example.com/mysql"},
    tools={"sysbench": "r/s:1", "tpcc": "r/t:2"},
)


def server(images: Images, enclave: bool = False, **spec: Any) -> str | None:
    whole = {"resources": RESOURCES, "storage": {"size": "1Gi"}, **spec}
    template = InstanceTemplateSpec.model_validate(whole)
    return images.with_server(template, enclave=enclave).image


@pytest.mark.parametrize(
    ("engine", "version", "image"),
    [
        ("mariadb", "10.11", "docker.io/library/mariadb:10.11"),
        ("mysql", "8.4", "docker.io/library/mysql:8.4"),
        ("percona", "8.0", "docker.io/percona/percona-server:8.0"),
        ("postgresql", "17", "docker.io/library/postgres:17"),
    ],
)
def test_a_server_is_upstreams_by_default(engine: str, version: str, image: str) -> None:
    assert server(Images(), engine=engine, version=version) == image
    assert server(Images(), engine=engine, version=version, image=OWN) == OWN


def test_a_server_is_what_the_administrator_chose() -> None:
    assert server(INSTALLED, engine="mysql", version="8.4") == "r.example.com/mysql:8.4"
    ours = server(INSTALLED, enclave=True, engine="postgresql", version="15")
    assert ours == f"{SERVERS[ENCLAVE]}:15-{__version__}", "the extension is this release's"


@pytest.mark.parametrize("end", [":mine", f"@sha256:{64 * 'a'}"])
def test_a_server_with_encrypted_types_may_have_a_tag_of_the_administrators(end: str) -> None:
    images = Images.chosen([(ENCLAVE, f"localhost:5000/postgresql{end}")], [])
    ours = server(images, enclave=True, engine="postgresql", version="15")
    assert ours == f"localhost:5000/postgresql{end}"


def test_an_external_server_has_none() -> None:
    place = {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}}
    spec = {"engine": "mysql", "version": "8.4", "external": place}
    template = InstanceTemplateSpec.model_validate(spec)
    assert Images().with_server(template, enclave=False) == template


@pytest.mark.parametrize(
    ("tool", "image"),
    [
        ({"sysbench": {"script": "oltp_read_write"}}, "r/s:1"),
        ({"tpcc": {"warehouses": 1}}, "r/t:2"),
    ],
)
def test_a_client_is_the_installations(tool: dict[str, Any], image: str) -> None:
    for own, wanted in ((None, image), (OWN, OWN)):
        client = {"resources": RESOURCES, **({"image": own} if own else {})}
        spec = {**tool, "load": {"concurrency": [1]}, "client": client}
        workload = WorkloadSpec.model_validate(spec)
        assert INSTALLED.with_tool(workload, external=False).client.image == wanted


@pytest.mark.parametrize(
    ("external", "named", "image"),
    [(True, None, "r/t:2"), (True, OWN, OWN), (False, None, None), (False, OWN, OWN)],
)
def test_what_benchmarksql_leaves_on_an_external_database_our_own_client_has_loaded(
    external: bool, named: str | None, image: str | None
) -> None:
    spec = {
        "tpcc": {"warehouses": 1, "benchmarksql": {"loadImage": named} if named else {}},
        "load": {"concurrency": [1], "warmup": "0s", "duration": "1m"},
        "client": {"resources": RESOURCES, "image": "registry.example.com/benchmarksql:5.0"},
    }
    found = INSTALLED.with_tool(WorkloadSpec.model_validate(spec), external=external)
    assert found.load_image == image
    assert found.client.image == "registry.example.com/benchmarksql:5.0"


@pytest.mark.parametrize(
    "tool", [{"sysbench": {"script": "oltp_read_only"}}, {"tpcc": {"warehouses": 1}}]
)
def test_other_clients_load_what_they_run(tool: dict[str, Any]) -> None:
    spec = {**tool, "load": {"concurrency": [1]}, "client": {"resources": RESOURCES}}
    found = INSTALLED.with_tool(WorkloadSpec.model_validate(spec), external=True)
    assert found.load_image is None


async def parts(*, enclave: bool, allowed: Allowed, installed: bool = True) -> Any:
    """A campaign over an InstanceTemplate and a Workload that name no image."""
    columns = {"columns": {"method": "enclave", "ratio": 75, "enclave": {}}} if enclave else {}
    matrix = [{"instanceRefs": ["small"], "modeRefs": ["enc"], "workloadRefs": ["oltp"]}]
    bodies = [
        manifests.body(INSTANCE_TEMPLATE, "small", "bench", engine="postgresql", version="15"),
        manifests.body(ENCRYPTION_MODE, "plain", "bench"),
        manifests.body(ENCRYPTION_MODE, "enc", "bench", **columns),
        manifests.body(WORKLOAD, "oltp", "bench", sysbench={"script": "enclave_point"}),
        manifests.body(CAMPAIGN, "study", "bench", matrix=matrix),
    ]
    bodies[0]["spec"].pop("image")
    bodies[3]["spec"]["client"].pop("image")
    held = Manifests({(one["kind"], "bench", one["metadata"]["name"]): one for one in bodies})
    spec = CampaignSpec.model_validate(bodies[-1]["spec"])
    known = Installed(proxy=True, fuse=True, allowed=allowed) if installed else None
    return await admit(Offline(held), "bench", "study", spec, known)


async def test_what_is_measured_is_frozen_with_its_images() -> None:
    found, problems = await parts(enclave=True, allowed=Allowed())
    assert not problems
    frozen = found.freeze({})
    assert frozen.instances["small"].image == f"docker.io/encbench/postgresql:15-{__version__}"
    assert (
        frozen.workloads["oltp"].client.image == f"docker.io/encbench/sysbench:1.0.20-{__version__}"
    )


async def test_without_an_installation_none_is_made_up() -> None:
    found, problems = await parts(enclave=True, allowed=Allowed(), installed=False)
    assert not problems
    assert found.freeze({}).instances["small"].image is None


async def test_the_administrators_list_holds_for_the_defaults() -> None:
    allowed = Allowed(images=("docker.io/encbench",))
    _, problems = await parts(enclave=True, allowed=allowed)
    assert not problems
    _, problems = await parts(enclave=True, allowed=Allowed(images=("r.example.com",)))
    assert [(one.kind, one.reason) for one in problems] == [
        (INSTANCE_TEMPLATE, Reason.NOT_ALLOWED),
        (WORKLOAD, Reason.NOT_ALLOWED),
    ]


@pytest.mark.parametrize("named", [None, OWN])
@pytest.mark.parametrize(
    ("refs", "image"),
    [(["small"], None), (["far"], TPCC), (["small", "far"], None)],
    ids=["own", "external", "both"],
)
async def test_an_external_database_does_not_change_who_loads_the_others(
    refs: list[str], image: str | None, named: str | None
) -> None:
    login = {"kind": "Secret", "metadata": {"name": "login", "namespace": "bench"}}
    far = {
        "engine": "mysql",
        "version": "8.0",
        "external": {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}},
    }
    matrix = [{"instanceRefs": [ref], "modeRefs": ["plain"], "workloadRefs": ["w"]} for ref in refs]
    workload = manifests.body(
        WORKLOAD,
        "w",
        "bench",
        tpcc={"warehouses": 1, "benchmarksql": {"loadImage": named} if named else {}},
        load={"concurrency": [4], "warmup": "0s", "duration": "1m"},
    )
    del workload["spec"]["sysbench"]
    bodies = [
        manifests.body(INSTANCE_TEMPLATE, "small", "bench", engine="mysql", version="8.4"),
        {**manifests.body(INSTANCE_TEMPLATE, "far", "bench"), "spec": far},
        manifests.body(ENCRYPTION_MODE, "plain", "bench"),
        workload,
        login,
    ]
    held = Manifests({(one["kind"], "bench", one["metadata"]["name"]): one for one in bodies})
    spec = CampaignSpec.model_validate(
        manifests.body(CAMPAIGN, "s", "bench", matrix=matrix)["spec"]
    )
    found, problems = await admit(
        Offline(held), "bench", "s", spec, Installed(proxy=False, fuse=False)
    )
    assert found.workloads["w"].load_image == (named or image)
    said = [one for one in problems if one.reason is Reason.EXTERNAL_UNSUPPORTED]
    if len(refs) == 1 or named:
        assert said == []
    else:
        (problem,) = said
        assert (problem.kind, problem.subject) == (WORKLOAD, "w")
        assert f"tpcc.benchmarksql.loadImage (here {TPCC})" in problem.text
