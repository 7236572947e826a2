"""Whether encrypted columns have what they need: the proxy, an engine it speaks to, the driver."""

from collections.abc import Iterator

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts, jar_of
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, PERSISTENT_VOLUME_CLAIM
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import FACTS

FAMILY = tuple(row.name for row in FACTS.values() if row.driver == "mysql")
"""Engines whose protocol the proxy speaks."""


def check(found: CampaignParts) -> Iterator[Problem]:
    """What a workload's tables do not go with is for the tools to say."""
    yield from of_pairs(found, speaks)
    for name, mode in found.modes.items():
        claim = jar.claim_name if (jar := jar_of(mode)) else None
        if claim is not None and (PERSISTENT_VOLUME_CLAIM, claim) not in found.objects:
            text = (
                f"EncryptionMode {name}: there is no PersistentVolumeClaim {claim} in namespace "
                f"{found.namespace}: create it with the jar in it, or name the jar by url and "
                "sha256"
            )
            yield Problem(PERSISTENT_VOLUME_CLAIM, Reason.NOT_FOUND, text, claim)
        if mode.columns is not None and found.installed is not None and not found.installed.proxy:
            text = (
                f"EncryptionMode {name}: this installation has no image of the confidential proxy: "
                "set the chart's confidentialProxy.image"
            )
            yield Problem(ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)


def speaks(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Whether the proxy speaks the engine's protocol."""
    if mode.columns is None or instance.is_external or instance.engine in FAMILY:
        return
    yield Problem(
        ENCRYPTION_MODE,
        Reason.MODE_UNSUPPORTED,
        f"the confidential proxy does not speak to {instance.engine}: leave columns out of the "
        f"mode, or use an engine of MySQL's protocol ({', '.join(FAMILY)})",
    )
