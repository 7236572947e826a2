"""What is said of a database that is not ours, and the Secret that its clients get."""

import base64

import pytest

from encbench.admission.external import beyond
from encbench.core.certificates import KeyPair
from encbench.database.children import SidecarCertificates, external_credentials
from encbench.database.connection import connection
from encbench.engines.external import entries_of
from encbench.kube.secrets import entry
from tests.support.testbeds import (
    ENCRYPTED_CLASS,
    GOCRYPTFS,
    PLAINTEXT,
    TDE,
    TLS,
    TLS12,
    counting_tokens,
    database_context,
    spec_of_external,
    spec_of_testbed,
)

ENGINES = ["mariadb", "mysql", "percona", "postgresql"]
SPARE = KeyPair("spare certificate", "spare key")
SIDECARS = SidecarCertificates("the CA", KeyPair("the recorder's", "the recorder's key"), None)
LOGIN = {"username": "bench", "password": "p"}


@pytest.mark.parametrize("name", ENGINES)
def test_what_a_session_can_show_is_accepted_of_every_engine(name: str) -> None:
    for mode in (PLAINTEXT, TLS):
        spec = spec_of_external(mode, engine=name)
        assert not [*beyond(spec.instance, spec.mode)]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("mode", [TDE, GOCRYPTFS, ENCRYPTED_CLASS, TLS12])
def test_what_it_cannot_is_refused_with_advice(name: str, mode: dict[str, object]) -> None:
    spec = spec_of_external(mode, engine=name)
    (problem,) = beyond(spec.instance, spec.mode)
    assert "on an external server" in problem.text
    assert ": leave atRest out" in problem.text or ": write inTransit.version" in problem.text


def test_a_database_of_ours_is_not_judged_so() -> None:
    spec = spec_of_testbed(TDE)
    assert not [*beyond(spec.instance, spec.mode)]


@pytest.mark.parametrize(("name", "port"), [("mysql", 3306), ("postgresql", 5432)])
def test_clients_go_where_the_template_says(name: str, port: int) -> None:
    found = connection("bed", spec_of_external(TLS, engine=name))
    assert (found.host, found.port, found.database) == ("db.example.com", port, "benchmark")
    assert found.tls is not None
    assert connection("bed", spec_of_external(engine=name, port=7)).port == 7
    assert found.outside
    assert not connection("bed", spec_of_testbed(TLS)).outside


def made(given: dict[str, str], name: str = "mysql") -> dict[str, str]:
    context = database_context(spec_of_external(engine=name))
    body = external_credentials(context, given, SPARE, SIDECARS, counting_tokens())
    assert body["immutable"]
    assert body["metadata"]["name"] == "overhead-mode-credentials"
    return {name: base64.b64decode(text).decode() for name, text in body["data"].items()}


def test_the_secret_has_what_clients_need_and_nothing_else_of_the_users() -> None:
    found = made({**LOGIN, "ca.crt": "CA", "console-password": "not ours"})
    recorder = {"recorder-token", "recorder-tls.crt", "recorder-tls.key", "sidecars-ca.crt"}
    own = {"client.crt", "client.key", "sysbench.conf"}
    assert set(found) == {*LOGIN, "ca.crt", *own, *recorder}
    assert (found["ca.crt"], found["sidecars-ca.crt"]) == ("CA", "the CA")
    assert (found["client.crt"], found["client.key"]) == (SPARE.certificate, SPARE.key)
    assert len(found["recorder-token"]) == 64


def test_a_client_certificate_of_the_users_goes_before_ours() -> None:
    found = made({**LOGIN, "client.crt": "own", "client.key": "own key"})
    assert (found["client.crt"], found["client.key"]) == ("own", "own key")


def test_the_key_of_the_users_driver_is_copied_too() -> None:
    jar = {
        "claimName": "drivers",
        "path": "driver.jar",
        "class": "com.example.Driver",
        "urlTemplate": "jdbc:x://{host}?MEK={mek}",
        "keySecretRef": {"name": "mine"},
    }
    context = database_context(spec_of_external({"driver": {"jar": jar}}))
    token = counting_tokens()
    body = external_credentials(context, LOGIN, SPARE, SIDECARS, token, {"mek": "0b"})
    assert entry(body, "mek") == "0b"
    assert "mek" not in made(LOGIN)


def test_sysbench_reads_the_login_by_the_driver_s_names() -> None:
    assert made(LOGIN)["sysbench.conf"] == 'mysql-user="bench"\nmysql-password="p"\n'
    assert made(LOGIN, "postgresql")["sysbench.conf"] == 'pgsql-user="bench"\npgsql-password="p"\n'


def test_an_entry_that_is_no_text_is_not_copied() -> None:
    secret = {"data": {"username": "Ym9i", "password": base64.b64encode(b"\xff\xfe").decode()}}
    assert entries_of(secret) == {"username": "bob"}
