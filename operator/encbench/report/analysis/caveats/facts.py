"""The facts that the checks for caveats use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from encbench.api.campaign import CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.document import Caveat, Provenance
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView


@dataclass(frozen=True)
class Facts:
    """The facts of one campaign."""

    spec: CampaignSpec
    workloads: dict[str, WorkloadSpec]
    groups: Sequence[Group]
    trials: Sequence[TrialView]
    unrecorded: int
    provenance: Provenance
    sources: Sequence[ProvenanceSource]
    instances: Mapping[str, InstanceTemplateSpec] = field(default_factory=dict)
    modes: Mapping[str, EncryptionModeSpec] = field(default_factory=dict)

    @property
    def external(self) -> list[str]:
        """Templates of external databases."""
        return sorted(name for name, one in self.instances.items() if one.external is not None)

    @property
    def counted(self) -> list[TrialView]:
        """Trials whose figures count."""
        return [trial for trial in self.trials if trial.counted]


Check = Callable[[Facts], Caveat | None]
