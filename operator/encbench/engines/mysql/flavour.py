"""MySQL's two flavours and its versions, and what each can do.

Percona Server is MySQL with settings of its own, and follows its numbers. It can also encrypt what
MySQL leaves in plaintext under TDE: temporary tables, sort files, and the InnoDB system tablespace
(ibdata1). An image that is not Percona's ignores these settings, and the proof shows that.

A version's number may be short: 8.0 means the last of its series.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from encbench.api.encryptionmode import EncryptionModeSpec, Scope
from encbench.engines.facts import EngineFacts, facts

Number = tuple[int, ...]

LAST = 999
"""Stands for the parts that a short number leaves open."""

OLDEST: Number = (5, 7)
FIRST_THAT_REPORTS: Number = (8, 0, 13)
"""The first 8.0 whose catalogue says which tablespace is encrypted."""
FIRST_TDE: Number = (8, 0, 23)
"""The first that encrypts the doublewrite buffer too. With an earlier one, encrypted tables leave
plaintext on the disk."""
FIRST_COMPONENT: Number = (8, 0, 24)
"""The first whose keyring is a component; before that it is a plugin, which 8.4 has dropped."""
FIRST_TLS_1_3: Number = (8, 0, 16)
FIRST_8: Number = (8, 0)
FIRST_8_4: Number = (8, 4)

Switches = Mapping[Scope, tuple[str, ...]]
"""The settings that encrypt each part. Statements encrypt MySQL's own tables (`system`); see
`engine`."""

_COMMON: Switches = {
    "tables": ("default_table_encryption",),
    "system": (),
    "redo": ("innodb_redo_log_encrypt",),
    "undo": ("innodb_undo_log_encrypt",),
    "binlog": ("binlog_encryption",),
}
_PERCONA: Switches = {
    "system": ("innodb_sys_tablespace_encrypt",),
    "temporary": ("innodb_temp_tablespace_encrypt", "encrypt_tmp_files"),
}


@dataclass(frozen=True)
class Flavour:
    """One of them."""

    facts: EngineFacts
    own: Switches
    """Settings that only this flavour knows."""
    quiet: Mapping[str, str]
    """Settings that turn off work unrelated to the benchmark."""

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What TDE can cover."""
        return tuple(dict.fromkeys([*_COMMON, *self.own]))

    def scope(self, mode: EncryptionModeSpec) -> frozenset[Scope]:
        """What this mode encrypts by TDE; empty in a mode without it."""
        if mode.tde is None:
            return frozenset()
        return frozenset(mode.tde.scope or self.scopes)

    def switches(self, mode: EncryptionModeSpec) -> dict[str, bool]:
        """Every setting that encrypts a part, and whether it is on in this mode."""
        scope = self.scope(mode)
        return {
            setting: part in scope
            for part, settings in chain(_COMMON.items(), self.own.items())
            for setting in settings
        }


MYSQL = Flavour(facts=facts("mysql"), own={}, quiet={})
PERCONA = Flavour(
    facts=facts("percona"), own=_PERCONA, quiet={"loose_percona_telemetry_disable": "ON"}
)

FLAVOURS = {flavour.facts.name: flavour for flavour in (MYSQL, PERCONA)}


def number(version: str) -> Number:
    """The version as three or more numbers; parts that are left out are as high as possible."""
    parts = tuple(int(part) for part in version.split("."))
    return (*parts, *(LAST,) * (3 - len(parts)))
