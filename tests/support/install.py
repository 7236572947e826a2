"""Installing the chart as a user does."""

from tests.support.kube import Kube

RELEASE = "encbench"
NAMESPACE = "encbench"


def install(kube: Kube, *values: str) -> None:
    """`helm upgrade --install`, waiting until everything is ready. `values` are `--set` pairs."""
    settings = [f"--set={value}" for value in values]
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


def uninstall(kube: Kube) -> None:
    """`helm uninstall`, waiting until everything is gone."""
    kube.run("helm", "uninstall", RELEASE, f"--namespace={NAMESPACE}", "--wait", "--timeout=3m")
