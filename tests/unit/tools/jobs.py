"""Parts of a Job that a tool asks for."""

from encbench.ports import Body


def pod(job: Body) -> Body:
    """The spec of its pod."""
    spec: Body = job["spec"]["template"]["spec"]
    return spec


def container(job: Body, name: str = "tool") -> Body:
    """The container of that name."""
    (found,) = [one for one in pod(job)["containers"] if one["name"] == name]
    return dict(found)
