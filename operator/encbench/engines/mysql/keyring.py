"""The keyring: where the server keeps its master keys, which it makes itself.

InnoDB and the binary log each make a master key of 256 bits when they first need one, and encrypt
the keys of tablespaces and log files with it. The keyring's file is on the volume beside the data,
which is enough for a measurement but protects nothing.
"""

import json

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.mysql.layout import COMPONENT, COMPONENT_CNF, MANIFEST, MysqlLayout
from encbench.engines.mysql.versions import FIRST_COMPONENT, number

PLUGIN = "keyring_file"


def is_component(version: str) -> bool:
    """Whether this version's keyring is a component; otherwise it is a plugin."""
    return number(version) >= FIRST_COMPONENT


def files(mode: EncryptionModeSpec, version: str, layout: MysqlLayout) -> dict[str, str]:
    """Manifest and configuration of the component, where there is one."""
    if mode.tde is None or not is_component(version):
        return {}
    configuration = {"path": layout.keyring, "read_only": False}
    return {
        MANIFEST: json.dumps({"components": f"file://{COMPONENT}"}) + "\n",
        COMPONENT_CNF: json.dumps(configuration) + "\n",
    }


def settings(version: str, layout: MysqlLayout) -> dict[str, str]:
    """Settings that load the plugin; empty for the component, because the manifest names it."""
    if is_component(version):
        return {}
    return {"early_plugin_load": f"{PLUGIN}.so", "keyring_file_data": layout.keyring}
