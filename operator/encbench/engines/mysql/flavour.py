"""MySQL's two flavours, and what each can encrypt.

Percona Server is MySQL with settings of its own. It can also encrypt what
MySQL leaves in plaintext under TDE: temporary tables, sort files, and the InnoDB system tablespace
(ibdata1). An image that is not Percona's ignores these settings, and the proof shows that.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec, Scope
from encbench.engines.facts import EngineFacts, facts

Switches = Mapping[Scope, tuple[str, ...]]
"""The settings that encrypt each part. Statements encrypt MySQL's own tables (`system`); see
`users`."""

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
    """Settings that turn off work unrelated to the benchmark."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        return self.facts.title

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """What TDE can cover."""
        return tuple(dict.fromkeys([*self.common, *self.own]))

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
