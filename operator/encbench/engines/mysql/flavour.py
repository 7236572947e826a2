"""MySQL's two flavours, and what each can encrypt.

Percona Server is MySQL with settings of its own. What MySQL leaves in plaintext under TDE,
temporary tables and sort files, Percona Server can encrypt, and its InnoDB system tablespace
(ibdata1) as well. An image that is not Percona's passes over these settings, and the proof shows
it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec, Scope
from encbench.engines.facts import EngineFacts, facts

Switches = Mapping[Scope, tuple[str, ...]]
"""The settings that encrypt each part. MySQL's own tables (`system`) are encrypted by statements
(see `users`)."""

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
    common: Switches
    """Settings that MySQL knows as well."""
    own: Switches
    """Settings that only this flavour knows."""
    quiet: Mapping[str, str]
    """What keeps the server from doing anything but serving the benchmark."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        return self.facts.title

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What TDE can cover."""
        return tuple(dict.fromkeys([*self.common, *self.own]))

    def scope(self, mode: EncryptionModeSpec) -> frozenset[Scope]:
        """What this mode encrypts by TDE; nothing at all in a mode without it."""
        if mode.tde is None:
            return frozenset()
        return frozenset(mode.tde.scope or self.scopes)

    def switches(self, mode: EncryptionModeSpec) -> dict[str, bool]:
        """Every setting that encrypts a part, and whether it is on in this mode."""
        scope = self.scope(mode)
        return {
            setting: part in scope
            for switches in (self.common, self.own)
            for part, settings in switches.items()
            for setting in settings
        }


MYSQL = Flavour(facts=facts("mysql"), common=_COMMON, own={}, quiet={})
PERCONA = Flavour(
    facts=facts("percona"),
    common=_COMMON,
    own=_PERCONA,
    quiet={"loose_percona_telemetry_disable": "ON"},
)

FLAVOURS = {flavour.facts.name: flavour for flavour in (MYSQL, PERCONA)}
