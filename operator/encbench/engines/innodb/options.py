"""What is wrong with a template's settings, said before anything starts.

An option file is forgiving in ways that a benchmark cannot be: it takes an unambiguous beginning
for the whole name, and `loose_`, `skip_`, `enable_`, `disable_` and `maximum_` before a name. Each
of these could slip past a list of forbidden names, so names are compared without the prefix, and a
beginning of a forbidden name counts as that name.
"""

import fnmatch
import re
from collections.abc import Callable
from functools import cache, partial

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.memory_fit import Pool
from encbench.engines.setting_names import Owned, SettingsFile, known_settings

BINLOG = (
    "leave it out, because the binary log is on in every arm so that its encryption is measured"
)
PLAINTEXT = (
    "leave it out, because it writes statements in plaintext, which no proof of TDE can accept"
)
PLUGINS = "leave it out, because the encryption mode decides which plugins are loaded"
ENGINE = "leave it out, because TDE encrypts the tables of InnoDB, and the proofs know no others"
FILES = "leave it out, because the proofs look for their marker in uncompressed files, one a table"

_PREFIXES = re.compile(r"^((loose|skip|enable|disable|maximum)_)+")
_KUBERNETES_SIZE = re.compile(r"([0-9]+)([KMGTPE])i")
_BAD_VALUE = re.compile(r"[\x00-\x1f\x7f#]")


@cache
def option_file(
    server: str, package: str, belong: Owned, pool: Callable[[InstanceTemplateSpec], Pool]
) -> SettingsFile:
    """The option file of the server of that title, whose settings the engine's package lists."""
    wrong = partial(_wrong, server, package)
    return SettingsFile(belong=belong, wrong=wrong, pool=pool, matches=_matches)


def _matches(name: str, pattern: str) -> bool:
    bare = _PREFIXES.sub("", name)
    return fnmatch.fnmatchcase(bare, pattern) or pattern.startswith(bare)


def _wrong(server: str, package: str, name: str, value: str) -> str | None:
    if name.startswith("loose_"):
        return f"settings.{name}: leave loose_ out, because with it a mistake goes unnoticed"
    names = known_settings(package).names
    whole = min((known for known in names if known.startswith(name)), default=None)
    if whole is not None and name not in names:
        return (
            f"settings.{name}: write {whole} in full, because the server would take this "
            "beginning for it"
        )
    if _BAD_VALUE.search(value):
        return (
            f"settings.{name} holds a line break, a control character or #: write one plain "
            "line, because the option file would end or change there"
        )
    size = _KUBERNETES_SIZE.fullmatch(value)
    if size is not None:
        return f"settings.{name}: write {size[1]}{size[2]}, as {server} does, instead of {value}"
    return None
