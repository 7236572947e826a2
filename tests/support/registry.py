"""A real registry on loopback that asks for a password, and skopeo, which pushes and pulls."""

import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import binaries
from tests.support import debian
from tests.support.daemon import free_port, running

USER, PASSWORD = "puller", "pull-these-images"
# By bcrypt, which is the one way that the registry takes.
_HASH = "$2b$04$xVcnmGz7JbNXCZxyxMUdoeATXNS0qXuto2PLlSaYUU2BAk3F/3dv6"
_CONFIG = """\
version: 0.1
log: {{level: warn, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}/images}}}}
http: {{addr: {address}, secret: of-uploads-under-way}}
auth: {{htpasswd: {{realm: encbench, path: {folder}/users}}}}
"""


@dataclass(frozen=True)
class Registry:
    """A registry. `address` is a host with its port, as image references begin."""

    address: str
    secret: Path
    """Credentials as a pull secret has them in `.dockerconfigjson`."""

    def push(self, archive: Path, reference: str, transport: str = "oci-archive") -> None:
        """Push an archive under a name, for all of its architectures."""
        options = ("--all", "--dest-tls-verify=false", f"--dest-authfile={self.secret}")
        run("copy", *options, f"{transport}:{archive}", self.url(reference))

    def url(self, reference: str) -> str:
        """A name in this registry, as skopeo wants it."""
        return f"docker://{self.address}/{reference}"


def run(*arguments: str) -> str:
    """What skopeo prints; RuntimeError with its words when it fails."""
    done = subprocess.run(
        [skopeo(), *arguments], capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"skopeo {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def skopeo() -> str:
    """skopeo, installed now unless it is there."""
    debian.install("skopeo")
    return "skopeo"


@contextmanager
def running_registry(folder: Path) -> Iterator[Registry]:
    """A registry with its images in `folder`."""
    address = f"127.0.0.1:{free_port()}"
    (folder / "users").write_text(f"{USER}:{_HASH}\n")
    (folder / "config.yml").write_text(_CONFIG.format(folder=folder, address=address))
    auth = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    secret = folder / "secret.json"
    secret.write_text(json.dumps({"auths": {address: {"auth": auth}}}))
    argv = [str(binaries.compiled("registry") / "registry"), "serve", str(folder / "config.yml")]
    log, env = folder / "registry.log", {"OTEL_TRACES_EXPORTER": "none"}
    with running(argv, ready=f"http://{address}/", log=log, env=env):
        yield Registry(address, secret)
