"""What the confidential proxy does not go with; `database.proxy` puts it into a pod."""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.facts import FACTS

FAMILY = tuple(row.name for row in FACTS.values() if row.driver == "mysql")
"""Engines whose protocol the proxy speaks."""


def problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> list[str]:
    """What is wrong with columns on this instance, each in a sentence that says what to do."""
    if mode.columns is None:
        return []
    if instance.external is not None:
        return [
            "encbench can put no proxy before a database that it does not run: leave columns out "
            "of the mode; where that database encrypts columns itself, name its driver in "
            "driver.jar and measure it as an InstanceTemplate of its own"
        ]
    if instance.engine not in FAMILY:
        return [
            f"the confidential proxy does not speak to {instance.engine}: leave columns out of "
            f"the mode, or use an engine of MySQL's protocol ({', '.join(FAMILY)})"
        ]
    return []
