"""Notes on data that a volume does not hold, or for which a deadline is too short.

Without them it shows after the load. All figures are about what such data take.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import ceil

from encbench.admission.gather import CampaignParts
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.api.scalars import parse_duration, parse_quantity
from encbench.api.workload import WorkloadSpec
from encbench.core.dataset import dataset_bytes, dataset_key
from encbench.core.problem import Problem, Reason

WITH_LOGS = 1.25
"""What the volume has to hold of each copy of the data, as a multiple of the tables. With a golden
copy that is the two and a half times that docs/modes.md asks for."""
SCAN = (6, 20)
"""Seconds in which the agent looks through a GB of files, at the least and at the most, as
docs/modes.md has them. TPC-C's consistency queries take less of a warehouse."""


def sizes(found: CampaignParts) -> Iterator[Problem]:
    """A note on each dataset that is too large for its volume or for `stepDeadlines.proof`."""
    reset, proof = found.campaign.reset, found.campaign.step_deadlines.proof
    combined = found.combinations(WORKLOAD, INSTANCE_TEMPLATE, ENCRYPTION_MODE)
    keys = {name: dataset_key(one) for name, one in found.workloads.items()}
    modes: defaultdict[tuple[str, str], list[EncryptionModeSpec]] = defaultdict(list)
    for one, bed, mode in combined:
        modes[keys[one], bed].append(found.modes[mode])
    noted = set()
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        storage, testbed = found.instances[template].storage, (keys[name], template)
        size = dataset_bytes(found.workloads[name], modes[testbed])
        if storage is None or size is None or testbed in noted:
            continue
        noted.add(testbed)
        data = (
            f"Workload {name} on InstanceTemplate {template}: its tables take about "
            f"{ceil(size / 2**30):,} GiB"
        )
        copies, with_copy = (1, "") if reset == "none" else (2, " and the golden copy")
        needed = size * WITH_LOGS * copies
        if needed > parse_quantity(storage.size):
            text = (
                f"{data}, and more with the server's logs{with_copy}: write storage.size: "
                f"{ceil(needed / 2**30)}Gi or more instead of {storage.size}"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.STORAGE_TOO_SMALL, text, template)
        read = _read(found.workloads[name], modes[testbed])
        least, most = (read / 1e9 * seconds for seconds in SCAN)
        if least > parse_duration(proof):
            text = (
                f"{data}, and the proof looks through all files in {_length(least)} to "
                f"{_length(most)}: write stepDeadlines.proof: {_length(most)} instead of {proof}"
            )
            yield Problem(CAMPAIGN, Reason.DEADLINE_TOO_SHORT, text, found.name)


def _read(workload: WorkloadSpec, modes: Iterable[EncryptionModeSpec]) -> int:
    """Bytes that a proof looks through, in that of the modes where they are most."""
    # Through gocryptfs and below it.
    times = ((mode, 1 if mode.gocryptfs is None else 2) for mode in modes)
    return max((n * (dataset_bytes(workload, [mode]) or 0) for mode, n in times), default=0)


def _length(seconds: float) -> str:
    """A duration of whole minutes or hours that is not shorter."""
    return f"{ceil(seconds / 60)}m" if seconds < 2 * 3600 else f"{ceil(seconds / 3600)}h"
