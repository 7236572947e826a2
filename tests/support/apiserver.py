"""A real API server for contract tests: etcd and kube-apiserver on loopback, and nothing else.

No kubelet and no controllers run, so nothing reacts to objects and deleted owners leave their
dependents behind: what is tested is what the API server itself says. The binaries are those of
`tests.cluster`, compiled once and cached; etcd is Debian's. Both processes and their files go when
the fixture ends; the processes also when the tests are killed.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import urllib3
import yaml

from tests.cluster import binaries
from tests.support import daemon
from tests.support.daemon import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
_TOKEN = "contract-tests"
OPERATOR = "operator"
"""A user without rights of its own, for whoever grants it some; also its token."""
_START_SECONDS = 120.0


@dataclass
class ApiServer:
    """Where the server listens and how to reach it as an administrator."""

    port: int
    kubeconfig: Path
    binaries: Path
    _connection: urllib3.HTTPSConnectionPool

    def kubeconfig_of(self, user: str) -> Path:
        """A kubeconfig of that user."""
        path = self.kubeconfig.with_name(f"kubeconfig-{user}")
        path.write_text(self.kubeconfig.read_text().replace(_TOKEN, user))
        return path

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = "application/json",
        user: str = "",
    ) -> tuple[int, Any]:
        """Status and JSON body of one request, without any code of ours in between.

        It is the administrator's, or that of a `user` with no rights but those of its roles. One
        connection is kept, for tests ask thousands of times, and made anew where the server has
        closed it, as it does after 90 idle seconds. OSError when there is no server.
        """
        headers = {
            "Authorization": f"Bearer {_TOKEN}",
            "Content-Type": content_type,
            "Accept": "application/json, */*;q=0.1",
        }
        if user:
            headers["Impersonate-User"] = user
        sent = None if body is None else json.dumps(body).encode()
        try:
            answer = self._connection.request(method, path, sent, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise OSError(f"{method} {path}: {error}") from error
        return answer.status, _parsed(answer.data)

    def kubectl(self, *arguments: str) -> str:
        """What kubectl prints; CalledProcessError when it fails."""
        command = [str(self.binaries / "kubectl"), f"--kubeconfig={self.kubeconfig}", *arguments]
        return _run(command)

    def namespace(self, name: str, level: str | None = None) -> str:
        """Create a namespace, unless it is there, with a Pod Security level; returns its name."""
        labels = {} if level is None else {"pod-security.kubernetes.io/enforce": level}
        meta = {"name": name, "labels": labels}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
        status, answer = self.request("POST", "/api/v1/namespaces", body)
        assert status in (201, 409), answer
        return name

    def install(self, definitions: Sequence[dict[str, Any]]) -> None:
        """Create CustomResourceDefinitions and wait until each is served."""
        root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for body in definitions:
            status, answer = self.request("POST", root, body)
            assert status == 201, answer
        for body in definitions:
            spec = body["spec"]
            version, plural = spec["versions"][0]["name"], spec["names"]["plural"]
            _wait(plural, partial(self._serves, f"/apis/{spec['group']}/{version}/{plural}"))

    def _serves(self, path: str) -> bool:
        """Whether the path is served and described; the latter comes a little later."""
        group, plural = path.rsplit("/", 1)
        described, text = self.request("GET", f"/openapi/v3{group}")
        served = self.request("GET", path)[0]
        return served == described == 200 and f"/{plural}/" in json.dumps(text)


@contextmanager
def running(*more: str) -> Iterator[ApiServer]:
    """Start etcd and kube-apiserver with `more` arguments, and end both."""
    if shutil.which("etcd") is None:
        raise RuntimeError("contract tests need etcd: apt-get install etcd-server")
    bin_dir = binaries.compiled(binaries.kubernetes())
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="encbench-api-")))
        etcd, port = free_port(), free_port()
        healthy = f"http://127.0.0.1:{etcd}/health"
        stack.enter_context(
            daemon.running(_etcd(home, etcd, free_port()), ready=healthy, log=home / "etcd.log")
        )
        argv = [str(bin_dir / "kube-apiserver"), *_apiserver(home, etcd, port), *more]
        log = home / "apiserver.log"
        # Its own readiness is behind a certificate that it has yet to make: see below.
        process = stack.enter_context(daemon.running(argv, ready=healthy, log=log))
        certificate = home / "certificates" / "apiserver.crt"
        _wait("certificate", lambda: _alive(process, log) and certificate.exists())
        server = ApiServer(
            port=port,
            kubeconfig=home / "kubeconfig",
            binaries=bin_dir,
            _connection=urllib3.HTTPSConnectionPool(
                "127.0.0.1", port, timeout=30.0, retries=False, ca_certs=str(certificate)
            ),
        )
        server.kubeconfig.write_text(_kubeconfig(f"https://127.0.0.1:{port}", certificate))
        _wait("API server", lambda: _alive(process, log) and _ready(server))
        yield server


@contextmanager
def with_crds() -> Iterator[ApiServer]:
    """A server of its own with the CRDs of the checkout."""
    with running() as server:
        crds = sorted((REPOSITORY / "crds").glob("*.yaml"))
        server.install([yaml.safe_load(path.read_text()) for path in crds])
        yield server


@pytest.fixture(scope="session")
def api_server() -> Iterator[ApiServer]:
    """One server for the whole session, with the CRDs of the checkout; use a namespace each."""
    with with_crds() as server:
        yield server


def _etcd(home: Path, port: int, peer: int) -> list[str]:
    client, peers = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
    return [
        "etcd",
        f"--data-dir={home}/etcd",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
        "--logger=zap",
        "--log-level=warn",
    ]


def _apiserver(home: Path, etcd: int, port: int) -> list[str]:
    key, tokens = home / "service-accounts.key", home / "tokens.csv"
    tokens.write_text(f"{_TOKEN},admin,admin,system:masters\n{OPERATOR},{OPERATOR},{OPERATOR}\n")
    _run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(key)])
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={home}/certificates",
        f"--token-auth-file={tokens}",
        # As on any cluster with a network plug-in; the sidecar of gocryptfs is privileged.
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.96.0.0/24",
        "--endpoint-reconciler-type=none",
        # Nothing creates the default ServiceAccount that this plugin would insist on.
        "--disable-admission-plugins=ServiceAccount",
    ]


def _kubeconfig(url: str, certificate: Path) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "test",
                    "cluster": {"server": url, "certificate-authority": str(certificate)},
                }
            ],
            "users": [{"name": "admin", "user": {"token": _TOKEN}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
            "current-context": "test",
        }
    )


def _alive(process: subprocess.Popen[bytes], log: Path) -> bool:
    if process.poll() is None:
        return True
    raise RuntimeError(f"kube-apiserver ended:\n{log.read_text()[-4000:]}")


def _ready(server: ApiServer) -> bool:
    try:
        return server.request("GET", "/readyz")[0] == 200
    except OSError:
        return False


def _wait(what: str, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} was not there within {_START_SECONDS:.0f} s")
        time.sleep(0.1)


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode(errors="replace")


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, check=True, text=True, capture_output=True, timeout=60)
    return str(done.stdout)
