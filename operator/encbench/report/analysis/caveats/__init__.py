"""What could be wrong with the figures: checks of this campaign's facts.

Each check is one policy. The checks are fixed beforehand and never change a figure; they show
readers where to look before they believe one. The room has 22 files, because each subject has one.
"""

from encbench.report.analysis.caveats import (
    backlog,
    blocks,
    columns,
    cycle,
    discarded,
    disks,
    external,
    instructions,
    load,
    machines,
    memory,
    others,
    proofs,
    quota,
    rate,
    recovery,
    restarts,
    software,
    throttling,
    tpcc,
    turns,
)
from encbench.report.analysis.caveats.facts import Check, Facts
from encbench.report.document import Caveat

__all__ = ["CHECKS", "Facts", "caveats"]

CHECKS: tuple[Check, ...] = (
    load.colocation,
    quota.unenforced,
    machines.unlike_databases,
    disks.unlike,
    disks.some_on_dm_crypt,
    machines.unlike_clients,
    machines.unlike_sets,
    machines.beside_databases,
    software.changed,
    columns.stand_in,
    columns.simulated_boundary,
    columns.hop_not_apart,
    columns.driver_before_external,
    blocks.noise_floor,
    turns.solo_differs,
    turns.background_work,
    turns.alike_neighbours,
    turns.carry_over,
    rate.fixed_rate,
    rate.paced,
    recovery.unequal_log,
    recovery.decrypted_already,
    load.busy_client,
    load.full_node,
    cycle.busy_threads,
    rate.stalled_client,
    load.uneven_clients,
    load.scattered_start,
    others.foreign_load,
    others.kernel_encryption,
    others.stolen,
    restarts.emptied_caches,
    backlog.unwritten,
    discarded.deleted_trials,
    proofs.lost_evidence,
    blocks.missing_blocks,
    blocks.many_invalid,
    external.external_database,
    instructions.no_aes,
    instructions.without_openssl,
    blocks.few_blocks,
    blocks.precision_missed,
    columns.hop_in_the_loss,
    columns.results_only,
    columns.client_without_driver,
    columns.permissive,
    columns.by_socket,
    tpcc.no_tpc_result,
    tpcc.statements,
    tpcc.whole_milliseconds,
    tpcc.many_orders,
    tpcc.not_checked,
    turns.unsteady,
    blocks.short_window,
    turns.spanned,
    memory.dataset_in_memory,
    memory.drawn_rows_in_memory,
    recovery.short_recoveries,
    load.busy_server,
    load.busy_beside,
    throttling.held_up,
    load.idle_server,
    blocks.one_placement,
    blocks.lost_sets,
    load.cpu_withheld,
    others.foreign_unknown,
    others.not_idle,
    rate.governed,
    blocks.several_comparisons,
    load.errors,
)
"""In the order in which the report shows them."""


def caveats(facts: Facts) -> tuple[Caveat, ...]:
    """The caveats that hold, serious ones first."""
    found = [caveat for check in CHECKS for caveat in check(facts)]
    return tuple(sorted(found, key=lambda caveat: caveat.weight != "serious"))
