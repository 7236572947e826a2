"""The campaigns that a benchmark runs on an installed operator."""

from encbench.core.artefact import decode
from encbench.report.document import Report
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e.manifests import Manifest
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for


def run(kube: Kube, name: str, parts: list[Manifest], limit: float) -> Report | None:
    """Run the campaign of that name and delete it; its report, or None if it failed.

    `parts` are all manifests that it needs, `limit` is in seconds.
    """
    delete_campaign(kube, name)
    kube.apply(*parts)
    try:
        body = wait_for(f"the end of {name}", lambda: ended(kube, name), limit, every=2)
        failed = conditions(body).get("Failed", {})
        if failed.get("status") == "True":
            print(f"      {name}: {failed['reason']}: {failed['message']}")
            return None
        return _report(kube, name)
    finally:
        delete_campaign(kube, name)


def _report(kube: Kube, name: str) -> Report:
    body = kube.get("overheadreport", name, NAMESPACE)
    assert body is not None, f"campaign {name} has no report"
    key = body["status"]["artefacts"]["json"]["key"]
    with bucket(kube) as store:
        return decode(Report, store.get(key), key)
