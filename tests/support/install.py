"""Installing the chart as a user does."""

from tests.support.kube import Kube

RELEASE = "encbench"
NAMESPACE = "encbench"


def install(kube: Kube, *values: str) -> None:
    """`helm upgrade --install`, waiting until everything is ready. `values` are `--set` pairs."""
    settings = [f"--set={value}" for value in values]
    deployment = f"deployment/{RELEASE}-operator"
    there = kube.kubectl("get", deployment, f"--namespace={NAMESPACE}", "--ignore-not-found")
    kube.run(
        "helm",
        "upgrade",
        "--install",
        RELEASE,
        "charts/encbench",
        f"--namespace={NAMESPACE}",
        "--create-namespace",
        "--wait",
        "--timeout=4m",
        *settings,
    )
    if there:
        # The image's tag does not change with its content, so that helm sees nothing to roll out.
        kube.kubectl("rollout", "restart", deployment, f"--namespace={NAMESPACE}")
        kube.kubectl("rollout", "status", deployment, f"--namespace={NAMESPACE}", "--timeout=2m")


def uninstall(kube: Kube) -> None:
    """`helm uninstall`, waiting until everything is gone."""
    kube.run("helm", "uninstall", RELEASE, f"--namespace={NAMESPACE}", "--wait", "--timeout=3m")
