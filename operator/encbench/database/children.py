"""The objects of a testbed: Secrets, ConfigMap, Service, claim, budgets, StatefulSet.

One builder for each object. The engine supplies the contents; `pod` builds the pod itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from encbench.core.certificates import AUTHORITY, KeyPair
from encbench.core.connection import DATABASE, Driver
from encbench.database import fuse, pod, proxy
from encbench.database.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.external import OWN_CERTIFICATE, PASSWORD, USERNAME
from encbench.engines.users import BENCHMARK_USER, Credentials
from encbench.kube import labels
from encbench.kube.pods import template_metadata
from encbench.kube.secrets import secret
from encbench.ports import Body
from encbench.wire import sidecar

GENERATED: Mapping[str, str] = MappingProxyType({})
"""The user's own keys where a mode names none. Keys are by the entry of the testbed's Secret."""


@dataclass(frozen=True)
class SidecarCertificates:
    """What the sidecars of a testbed show to the operator."""

    authority: str
    """Certificate of the CA, as PEM."""
    recorder: KeyPair
    agent: KeyPair | None
    """None where the database is external."""

    def entries(self, random_token: RandomToken) -> dict[str, str]:
        """The entries of a testbed's Secret, with a fresh token of 256 bits for each."""
        found = {sidecar.AUTHORITY: self.authority}
        pairs: dict[sidecar.Sidecar, KeyPair | None]
        pairs = {"recorder": self.recorder, "agent": self.agent}
        for name, pair in pairs.items():
            if pair is not None:
                found[sidecar.entry_name(name, sidecar.TOKEN)] = random_token(32)
                found[sidecar.entry_name(name, sidecar.CERTIFICATE)] = pair.certificate
                found[sidecar.entry_name(name, sidecar.KEY)] = pair.key
        return found


def credentials_secret(
    context: DatabaseContext,
    random_token: RandomToken,
    certificates: Mapping[str, str],
    sidecars: SidecarCertificates,
    keys: Mapping[str, str] = GENERATED,
) -> Body:
    """Fresh users, passwords and tokens, with these certificates; immutable once created.

    `keys` has the user's own.
    """
    made, engine = generate(random_token), context.engine
    entries = {
        "username": BENCHMARK_USER,
        "password": made.password,
        "agent-password": made.agent_password,
        "sysbench.conf": sysbench_conf(made, engine.facts.driver),
        "init.sql": engine.init_sql(made, context.spec),
        **certificates,
        **sidecars.entries(random_token),
        **proxy.key_entries(context.spec, random_token, keys),
    }
    return secret(context.metadata(context.credentials_name), entries)


def external_credentials(
    context: DatabaseContext,
    given: Mapping[str, str],
    spare: KeyPair,
    sidecars: SidecarCertificates,
    random_token: RandomToken,
    keys: Mapping[str, str] = GENERATED,
) -> Body:
    """The Secret of a testbed on an external database, in the form that every client reads.

    It is made from the user's (docs/design/0005-external.md). With MySQL's protocol sysbench starts
    TLS only if it has a client certificate, but a server that knows its CA rejects a certificate of
    any other. Where the user supplies none, `spare` stands in and is never presented.
    """
    kept = (USERNAME, PASSWORD, AUTHORITY, *OWN_CERTIFICATE)
    driver = context.engine.facts.driver
    entries = {
        **dict(zip(OWN_CERTIFICATE, (spare.certificate, spare.key), strict=True)),
        **{name: given[name] for name in kept if name in given},
        **sidecars.entries(random_token),
        **proxy.key_entries(context.spec, random_token, keys),
        # In quotation marks: between them sysbench accepts any character but a quotation mark.
        "sysbench.conf": (
            f'{driver}-user="{given[USERNAME]}"\n{driver}-password="{given[PASSWORD]}"\n'
        ),
    }
    return secret(context.metadata(context.credentials_name), entries)


def keys_secret(
    context: DatabaseContext, random_token: RandomToken, keys: Mapping[str, str] = GENERATED
) -> Body | None:
    """The key of the disk, which is the user's own or a fresh one; None where the mode needs none.

    The user's is copied, because a server that is started anew needs the one that its data have.
    """
    mode, key = context.spec.mode, context.key_file
    entries = fuse.key_entries(mode, random_token)
    if key is not None:
        is_own = mode.at_rest_key is not None
        entries[key.name] = keys[key.name] if is_own else key.fresh(random_token)
    return secret(context.metadata(context.keys_name), entries) if entries else None


def config_map(context: DatabaseContext) -> Body:
    """Files for the server's containers and the proxy; nothing secret in any."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": context.metadata(context.name),
        "data": {**context.engine.config_files(context.spec), **proxy.files(context.spec)},
    }


def service(context: DatabaseContext) -> Body:
    """A headless Service: clients resolve the pod's own address and bypass kube-proxy."""
    ports = {
        "database": context.engine.facts.port,
        "metrics": pod.AGENT_PORT,
        **proxy.ports(context.spec.mode),
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": context.metadata(context.name),
        "spec": {
            "clusterIP": "None",
            "selector": labels.database_selector(context.name),
            "ports": [
                {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
                for name, port in ports.items()
            ],
        },
    }


def volume_claim(context: DatabaseContext) -> Body:
    """The claim of the data volume.

    The testbed owns it, because a StatefulSet's own claims outlive it by default.
    """
    storage = context.spec.instance.embedded.storage
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": storage.size}},
    }
    class_name = context.spec.mode.storage_class or storage.class_name
    if class_name is not None:
        spec["storageClassName"] = class_name
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": context.metadata(context.claim_name),
        "spec": spec,
    }


def database_budget(context: DatabaseContext) -> Body:
    """The database may not be evicted; while it is stopped, nothing is missing.

    No pod may have two budgets, because the API server would answer an eviction with a fault.
    """
    return _budget(context, "", {"matchLabels": labels.database_selector(context.name)})


def jobs_budget(context: DatabaseContext) -> Body:
    """Nor may the load and the clients.

    Kubernetes cannot count how many pods of a Job there are to be, and allows no eviction then. A
    number in `minAvailable` would be missed between two trials, and an alert would say so.
    """
    others = {"key": labels.COMPONENT, "operator": "NotIn", "values": ["database"]}
    own = {labels.TESTBED: context.name}
    return _budget(context, "-jobs", {"matchLabels": own, "matchExpressions": [others]})


def _budget(context: DatabaseContext, ending: str, selector: Body) -> Body:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": context.metadata(f"{context.name}{ending}"),
        "spec": {"maxUnavailable": 0, "selector": selector},
    }


def stateful_set(context: DatabaseContext) -> Body:
    """The database. A changed template never replaces its pod; only deleting the pod does.

    An upgrade of the operator changes the agent's image. A rolling update would then restart every
    database in the middle of its trials.
    """
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": context.metadata(context.name),
        "spec": {
            "serviceName": context.name,
            "replicas": 1,
            "selector": {"matchLabels": labels.database_selector(context.name)},
            "updateStrategy": {"type": "OnDelete"},
            "template": {
                "metadata": template_metadata(
                    {**context.labels, labels.SCRAPE: "true"}, context.programs.marks
                ),
                "spec": pod.spec(context),
            },
        },
    }


def generate(random_token: RandomToken) -> Credentials:
    """Fresh passwords of 128 bits."""
    return Credentials(password=random_token(16), agent_password=random_token(16))


def sysbench_conf(made: Credentials, driver: Driver) -> str:
    """For sysbench's `--config-file`, which takes option names without their leading dashes."""
    database = f"mysql-db={DATABASE}\n" if driver == "mysql" else ""
    return f"{driver}-user={BENCHMARK_USER}\n{driver}-password={made.password}\n{database}"
