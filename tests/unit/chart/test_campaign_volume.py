"""campaigns/volume and its overlay: small enough for two cores."""

from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.scalars import parse_quantity
from encbench.database import pod as engine_pod
from encbench.engines.innodb.settings import parse_size
from encbench.tools import pod as tool_pod
from tests.support.chart import Rendered
from tests.unit.chart.campaigns import (
    CAMPAIGNS,
    NODE,
    all_of,
    assert_said,
    infrastructure,
    parsed,
    the,
)

FOLDER = CAMPAIGNS / "volume"
OVERLAYS = {"gocryptfs": FOLDER, "storage-class": FOLDER / "storage-class"}
ROW = 250
"""Bytes that a row of sysbench takes in a table and its index, about."""


def of(name: str, kind: str) -> Any:
    return the(parsed(OVERLAYS[name]), kind)


def modes(name: str) -> dict[str, EncryptionModeSpec]:
    return all_of(parsed(OVERLAYS[name]), "EncryptionMode")


def test_the_two_file_systems_differ_in_the_cipher_alone() -> None:
    through, cipher = (modes("gocryptfs")[name].gocryptfs for name in ("pass-through", "gocryptfs"))
    assert through is not None
    assert cipher is not None
    assert (through.cipher, cipher.cipher) == ("none", "AES-GCM")
    assert through.resources == cipher.resources


@pytest.mark.parametrize("name", OVERLAYS)
def test_what_is_read_comes_from_the_disk(name: str) -> None:
    instance, workload = of(name, "InstanceTemplate"), of(name, "Workload")
    pool = parse_size(instance.settings["innodb_buffer_pool_size"])
    assert pool is not None
    data = ROW * workload.sysbench.tables * workload.sysbench.table_size
    assert data > 2.5 * pool
    below = [mode.gocryptfs.resources for mode in modes(name).values() if mode.gocryptfs]
    assert all(pool + one.memory_bytes < 1.5 * data for one in below), "nor from the page cache"
    room = parse_quantity(instance.storage.size)
    assert room > 4 * data, "there is room for the golden copy"
    campaign = of(name, "Campaign")
    assert (campaign.reset, campaign.cache, campaign.residency) == ("trial", "Cold", "OnDemand")


def test_it_fits_two_cores(default: Rendered) -> None:
    own, workload = of("gocryptfs", "InstanceTemplate").resources, of("gocryptfs", "Workload")
    below = max(
        mode.gocryptfs.resources.cores for mode in modes("gocryptfs").values() if mode.gocryptfs
    )
    database = own.cores + below + parse_quantity(engine_pod.AGENT_CPU)
    client = workload.client.resources.cores + parse_quantity(tool_pod.RECORDER_CPU)
    whole = database + 2 * workload.client.replicas * client + infrastructure(default)
    assert whole <= NODE
    assert_said(FOLDER, whole)
