"""`make demo`: from nothing to a report, with progress; the cluster stays up to look around."""

import sys
import time
from pathlib import Path

from tests.cluster import images
from tests.support.install import NAMESPACE, RELEASE, cluster, installation, is_own
from tests.support.kube import REPO, CommandFailed, Kube, wait_for

CAMPAIGN = "demo"
IMAGES = images.SETS["demo"]
PAGE = REPO / "build" / "demo-report.html"


def main() -> int:
    """Run the demo; the exit code."""
    begin = time.monotonic()
    try:
        cluster(*IMAGES)
        _say(begin, "installing the chart")
        kube = installation(*IMAGES)
        _remove_earlier(kube)
        _say(begin, "applying campaigns/demo")
        kube.kubectl("apply", f"--namespace={NAMESPACE}", "--kustomize=campaigns/demo")
        watched = kube.plugin("watch", CAMPAIGN, f"--namespace={NAMESPACE}", "--timeout=3600")
        return _show(kube) or watched.returncode
    except (CommandFailed, TimeoutError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    finally:
        _say(begin, "end of the demo")


def _remove_earlier(kube: Kube) -> None:
    """A campaign is fixed once it exists: an earlier demo makes room for this one."""
    kube.kubectl(
        "delete",
        "campaign",
        CAMPAIGN,
        f"--namespace={NAMESPACE}",
        "--ignore-not-found",
        "--wait",
        "--timeout=120s",
    )
    wait_for(
        "the end of the earlier demo's pods",
        lambda: not kube.list("pods", NAMESPACE, f"encbench.io/campaign={CAMPAIGN}"),
        120,
    )


def _show(kube: Kube) -> int:
    """Print the report's table and where its page lies."""
    PAGE.parent.mkdir(exist_ok=True)
    target = [CAMPAIGN, f"--namespace={NAMESPACE}"]
    if kube.plugin("report", *target).returncode != 0:
        return 1
    if kube.plugin("report", *target, "--output=html", f"--file={PAGE}").returncode != 0:
        return 1
    print(f"\nThe report with its plots: {PAGE.relative_to(Path.cwd())}")
    look = f"kubectl get campaigns,testbeds,trials,overheadreports -n {NAMESPACE}"
    if is_own():
        kubeconfig = kube.environment["KUBECONFIG"]
        tools = Path(kubeconfig).parent / "bin"
        print(f"To look around: export KUBECONFIG={kubeconfig} PATH={tools}:$PATH")
        print(f"                {look}")
        print("To remove everything: make down")
    else:
        print(f"To look around: {look}")
        print(f"To remove the installation: helm uninstall {RELEASE} -n {NAMESPACE}")
    return 0


def _say(begin: float, text: str) -> None:
    seconds = int(time.monotonic() - begin)
    print(f"[{seconds // 60:02d}:{seconds % 60:02d}] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
