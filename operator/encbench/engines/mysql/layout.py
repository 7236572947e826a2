"""Where MySQL's files are in the database pod, and where it keeps its master keys.

InnoDB and the binary log each make a master key of 256 bits when they first need one, and encrypt
the keys of tablespaces and log files with it. The keyring's file is on the volume beside the data,
which is enough for a measurement but protects nothing.

The server expects the manifest that names its keyring component beside its own program, and the
component expects its configuration beside the plugin. Images differ in where those are. The
initialising script therefore makes a folder on the volume with a link to the image's program and
links to its plugins, and puts both files there. Started by that link, with `plugin_dir` pointing to
the links, the server takes the folder for its own, because it looks for `mysqld.my` in the folder
of the name that it was started by. Rejected: mounting the files over the image's folders, which
must be known beforehand; the local manifest in the data directory, which must be empty when it is
initialised and needs a global manifest all the same.
"""

import json
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.innodb.settings import InnodbLayout
from encbench.engines.mysql.flavour import FIRST_COMPONENT, number

PLUGIN = "keyring_file"
COMPONENT = "component_keyring_file"


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
        return f"{self.program}/mysqld"

    @property
    def keyring(self) -> str:
        """The keyring's own file, beside the data directory because it is copied with the data."""
        return f"{self.volume}/keyring/keyring"


POD = MysqlLayout()


def is_component(version: str) -> bool:
    """Whether this version's keyring is a component; otherwise it is a plugin."""
    return number(version) >= FIRST_COMPONENT


def keyring_files(mode: EncryptionModeSpec, version: str, layout: MysqlLayout) -> dict[str, str]:
    """Manifest and configuration of the component, where there is one."""
    if mode.tde is None or not is_component(version):
        return {}
    configuration = {"path": layout.keyring, "read_only": False}
    return {
        "mysqld.my": json.dumps({"components": f"file://{COMPONENT}"}) + "\n",
        f"{COMPONENT}.cnf": json.dumps(configuration) + "\n",
    }


def keyring_settings(version: str, layout: MysqlLayout) -> dict[str, str]:
    """Settings that load the plugin; empty for the component, because the manifest names it."""
    if is_component(version):
        return {}
    return {"early_plugin_load": f"{PLUGIN}.so", "keyring_file_data": layout.keyring}
