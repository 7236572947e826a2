"""What Maven needs inside a build, mounted for its duration so that no image remembers it.

Java has a list of authorities of its own. Those that an administrator added to this host are added
to a copy of it, in the file that Maven's own script reads when it starts. This host's settings for
Maven apply where there are some, and downloads are kept in the cache.
"""

from pathlib import Path
from typing import Final

from .layout import Layout

_INSIDE: Final = "/run/encbench-build/authorities"
_AUTHORITIES: Final = Path("/usr/local/share/ca-certificates")
_MAVENRC: Final = f"""\
cp /etc/ssl/certs/java/cacerts /tmp/authorities
for file in {_INSIDE}/*.crt; do
    keytool -importcert -noprompt -trustcacerts -keystore /tmp/authorities -storepass changeit \\
        -alias "$file" -file "$file" >/dev/null 2>&1
done
MAVEN_OPTS="${{MAVEN_OPTS:-}} -Djavax.net.ssl.trustStore=/tmp/authorities"
"""


def volumes(layout: Layout, scratch: Path) -> list[str]:
    """Buildah arguments that mount all that; files of ours are written to ``scratch``."""
    downloads = layout.cache / "maven"
    downloads.mkdir(parents=True, exist_ok=True)
    mounts = [f"{downloads}:/root/.m2/repository"]
    settings = Path.home() / ".m2" / "settings.xml"
    if settings.is_file():
        mounts.append(f"{settings}:/root/.m2/settings.xml:ro")
    if any(_AUTHORITIES.glob("*.crt")):
        file = scratch / "mavenrc"
        file.write_text(_MAVENRC)
        mounts += [f"{_AUTHORITIES}:{_INSIDE}:ro", f"{file}:/root/.mavenrc:ro"]
    return [argument for mount in mounts for argument in ("--volume", mount)]
