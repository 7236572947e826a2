"""The Secret of a testbed whose database is external.

docs/design/0005-external.md says why all arms of a cell share one dataset.
"""

from collections.abc import Mapping

from encbench.core.certificates import AUTHORITY, KeyPair
from encbench.core.connection import Driver
from encbench.database.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.engines.external import OWN_CERTIFICATE, PASSWORD, USERNAME
from encbench.kube.secrets import secret
from encbench.ports import Body


def credentials_secret(
    context: DatabaseContext, given: Mapping[str, str], spare: KeyPair, random_token: RandomToken
) -> Body:
    """The testbed's own Secret, made from the user's in the form that every client reads.

    With MySQL's protocol sysbench starts TLS only if it has a client certificate, but a server that
    knows its CA rejects a certificate of any other. Where the user supplies none, `spare` stands in
    and is never presented.
    """
    kept = (USERNAME, PASSWORD, AUTHORITY, *OWN_CERTIFICATE)
    own = dict(zip(OWN_CERTIFICATE, (spare.certificate, spare.key), strict=True))
    return secret(
        context.metadata(context.credentials_name),
        {
            **own,
            **{name: given[name] for name in kept if name in given},
            "token": random_token(32),
            "sysbench.conf": _sysbench_conf(
                context.engine.facts.driver, given[USERNAME], given[PASSWORD]
            ),
        },
    )


def _sysbench_conf(driver: Driver, username: str, password: str) -> str:
    """In quotation marks: between them sysbench accepts any character but a quotation mark."""
    return f'{driver}-user="{username}"\n{driver}-password="{password}"\n'
