"""What follows from the kind of an instance."""

from encbench.api.instancetemplate import InstanceTemplateSpec


def is_external(instance: InstanceTemplateSpec) -> bool:
    """Whether somebody else runs the database: no pod of ours, hence no agent."""
    return instance.external is not None
