"""A campaign's manifests, as a user has them in a file."""

from pathlib import Path
from typing import Any

import yaml

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.ports import Body
from tests.support.manifests import body

OUTSIDE = {
    "engine": "mysql",
    "version": "8.0",
    "external": {
        "host": "db.example.com",
        "database": "bench",
        "credentialsSecretRef": {"name": "db"},
    },
}
"""An InstanceTemplate's fields for a server that is not ours."""


def written(folder: Path, *bodies: Body) -> str:
    """Path of one file in the folder with all of them."""
    path = folder / "all.yaml"
    path.write_text(yaml.safe_dump_all(bodies))
    return str(path)


def campaign(**spec: Any) -> Body:
    """The campaign; `spec` replaces fields."""
    return body(CAMPAIGN, "study", "bench", **spec)


def everything(**spec: Any) -> list[Body]:
    """The campaign and all that it names."""
    load_ = {"concurrency": [8, 2], "warmup": "10s", "duration": "50s"}
    return [
        body(INSTANCE_TEMPLATE, "small", "bench"),
        body(ENCRYPTION_MODE, "plain", "bench"),
        body(ENCRYPTION_MODE, "tde", "bench", atRest={"method": "engine"}),
        body(WORKLOAD, "oltp", "bench", load=load_),
        campaign(**spec),
    ]
