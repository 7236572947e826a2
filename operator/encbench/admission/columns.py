"""Whether encrypted columns have what they need: the proxy, an engine it supports, the driver."""

from collections.abc import Iterator

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts, jar_of
from encbench.admission.references import not_found
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, PERSISTENT_VOLUME_CLAIM
from encbench.core.problem import Problem, Reason
from encbench.engines.facts import FACTS

FAMILY = tuple(row.name for row in FACTS.values() if row.driver == "mysql")
"""Engines whose protocol the proxy speaks."""


def check(found: CampaignParts) -> Iterator[Problem]:
    """The tools check what fits a workload's tables."""
    yield from of_pairs(found, speaks)
    for name, mode in found.modes.items():
        where = f"EncryptionMode {name}: "
        claim = jar.claim_name if (jar := jar_of(mode)) else None
        if claim is not None and (PERSISTENT_VOLUME_CLAIM, claim) not in found.objects:
            advice = "create it with the jar in it, or name the jar by url and sha256"
            yield not_found(found, where, PERSISTENT_VOLUME_CLAIM, claim, advice)
        if mode.columns is not None and found.installed is not None and not found.installed.proxy:
            text = (
                f"{where}this installation has no image of the confidential proxy: set the chart's "
                "confidentialProxy.image"
            )
            yield Problem(ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)


def speaks(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Whether the proxy speaks the engine's protocol."""
    if mode.columns is not None and not instance.is_external and instance.engine not in FAMILY:
        text = (
            f"the confidential proxy does not support {instance.engine}: leave columns out of the "
            f"mode, or use an engine with MySQL's protocol ({', '.join(FAMILY)})"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
