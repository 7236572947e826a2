"""Where MySQL's files are in the database pod.

The server expects the manifest that names its keyring component beside its own program, and the
component expects its configuration beside the plugin. Images differ in where those are. The
initialising script therefore makes a folder on the volume with a link to the image's program and
links to its plugins, and puts both files there. Started by that link, with `plugin_dir` pointing to
the links, the server takes the folder for its own, because it looks for `mysqld.my` in the folder
of the name that it was started by. Rejected: mounting the files over the image's folders, which
must be known beforehand; the local manifest in the data directory, which must be empty when it is
initialised and needs a global manifest all the same.
"""

from dataclasses import dataclass

from encbench.engines.innodb.layout import InnodbLayout

MANIFEST = "mysqld.my"
COMPONENT = "component_keyring_file"
COMPONENT_CNF = f"{COMPONENT}.cnf"
PROGRAM = "mysqld"


@dataclass(frozen=True, kw_only=True)
class MysqlLayout(InnodbLayout):
    """Paths as the server's container sees them."""

    server: str = "mysql"

    @property
    def program(self) -> str:
        """The folder with the links."""
        return f"{self.volume}/program"

    @property
    def mysqld(self) -> str:
        """The link to the program."""
        return f"{self.program}/{PROGRAM}"

    @property
    def places_cnf(self) -> str:
        """An option file that the script writes: paths that depend on the image."""
        return f"{self.program}/places.cnf"

    @property
    def keyring(self) -> str:
        """The keyring's own file, beside the data directory because it is copied with the data."""
        return f"{self.volume}/keyring/keyring"


POD = MysqlLayout()
"""The layout of the database pod."""
