"""Whether the campaign's own settings suit its parts."""

from collections.abc import Iterator

from encbench.admission import extended
from encbench.admission.gather import CampaignParts, named
from encbench.api.base import Placement
from encbench.api.campaign import MAX_BLOCK_PLANS, MAX_SLOTS, MAX_TRIALS, MIN_ROUNDS, CampaignSpec
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.api.workload import WorkloadSpec
from encbench.core.plan import SOLO, cells
from encbench.core.problem import Problem, Reason
from encbench.core.starts import is_fresh_by_block
from encbench.engines.innodb.settings import LOAD, reads_pool_back
from encbench.engines.postgresql.stock_level import plan_changes
from encbench.kube.affinity import HOSTNAME
from encbench.text.words import plural
from encbench.tools.sysbench import script
from encbench.tools.sysbench.problems import LARGEST_SCRIPT
from encbench.tools.tpcc.problems import own_client


def recovery(found: CampaignParts) -> Iterator[Problem]:
    """Whether recoveries can be measured: encbench must run the server and reset its data."""
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        if found.workloads[name].recovery is None:
            continue
        if found.instances[template].is_external:
            text = (
                f"Workload {name} on InstanceTemplate {template}: encbench cannot stop an external "
                "server: leave recovery out, or write an image instead of external in the template"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.EXTERNAL_UNSUPPORTED, text, template)
        elif found.campaign.reset != "trial":
            text = (
                f"Workload {name}: every recovery must start from the same data, which trials "
                "change: write reset: trial in the campaign, and leave room for a second copy on "
                "the volumes"
            )
            yield Problem(CAMPAIGN, Reason.RESET_REQUIRED, text, found.name)


def reads(found: CampaignParts) -> Iterator[Problem]:
    """Whether what a database reads can be known: the agent beside it counts that."""
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        external = found.instances[template].is_external
        if external and found.workloads[name].max_read_kib is not None:
            text = (
                f"Workload {name} on InstanceTemplate {template}: encbench cannot see what an "
                "external database reads from its disk: leave maxReadKib out"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.EXTERNAL_UNSUPPORTED, text, template)


def cold(found: CampaignParts) -> Iterator[Problem]:
    """Whether a server that is restarted begins with an empty cache."""
    for (template,) in found.combinations(INSTANCE_TEMPLATE):
        if found.campaign.cache == "Cold" and reads_pool_back(found.instances[template].settings):
            text = (
                f"InstanceTemplate {template}: settings.{LOAD} has the server read its old pool "
                "back at each start, and cache: Cold begins with an empty one: leave out either"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, text, template)


def piling_orders(found: CampaignParts) -> Iterator[Problem]:
    """A note on each workload whose statements may get another plan as its data grow."""
    # Beside an external database there is no reset.
    fixed = any(instance.is_external for instance in found.instances.values())
    advice = "reset: block"
    if fixed:
        advice = f"{'a lower ' if found.campaign.blocks.per_testbed else ''}blocks.perTestbed"
    if fixed and found.campaign.blocks.per_testbed == 1:
        return
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        changes = plan_changes(found.instances[template], found.workloads[name])
        if changes and found.campaign.reset == "none":
            text = (
                f"Workload {name} on InstanceTemplate {template}: PostgreSQL may plan Stock-Level "
                "anew when a warehouse has several hundred thousand orders, and an arm that gets "
                f"there before another looks dearer: write {advice}, unless the whole campaign "
                "takes minutes"
            )
            yield Problem(CAMPAIGN, Reason.RESET_ADVISED, text, found.name)


def deleted_rows(found: CampaignParts) -> Iterator[Problem]:
    """A note on each workload that deletes rows which it, or a later trial, then does not find."""
    fixed = any(instance.is_external for instance in found.instances.values())
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        sysbench = found.workloads[name].sysbench
        if sysbench is None or sysbench.script != "oltp_delete":
            continue
        advice, drawn = [], sysbench.option("rand-type", "special")
        if drawn != "uniform":
            # The usual one draws three of four from a hundredth of them.
            advice.append(
                f"write sysbench.options rand-type: uniform, because {drawn} draws the same rows "
                "again and again"
            )
        if found.campaign.reset == "none" and found.campaign.blocks.per_testbed != 1:
            anew = "blocks.perTestbed: 1" if fixed else "reset: block"
            advice.append(
                f"write {anew}, and name the workload last in workloadRefs, because later trials "
                "miss the rows"
            )
        if advice:
            text = (
                f"Workload {name} on InstanceTemplate {template}: oltp_delete inserts nothing, and "
                f"to delete a row that is gone is cheap: {'; '.join(advice)}"
            )
            yield Problem(CAMPAIGN, Reason.ROWS_GONE, text, found.name)


def most_blocks(spec: CampaignSpec) -> int:
    """The most blocks of a condition, replacements included."""
    return _most_usual(spec) + (spec.blocks.solo if spec.blocks.interleave else 0)


def _most_usual(spec: CampaignSpec) -> int:
    """The same without the solo ones; each has a number of its own."""
    return (spec.blocks.max if spec.precision else spec.blocks.min) + spec.blocks.max_replacements


def most_trials(found: CampaignParts) -> int:
    """The most trials of a campaign whose workloads are all there."""
    whole = cells(found.campaign, found.workloads)
    places = sum(len(cell.arms) * len(cell.conditions) for cell in whole)
    return most_blocks(found.campaign) * places


def _all_workloads(found: CampaignParts) -> bool:
    return found.workloads.keys() >= {*named(found.campaign)[WORKLOAD]}


def trials(found: CampaignParts) -> Iterator[Problem]:
    """Whether the campaign is small enough for the operator, once all workloads are found."""
    if not _all_workloads(found):
        return
    count, blocks = most_trials(found), most_blocks(found.campaign)
    conditions = sum(len(cell.conditions) for cell in cells(found.campaign, found.workloads))
    if found.campaign.precision is not None and conditions > MAX_BLOCK_PLANS:
        text = (
            f"{conditions:,} combinations of instance, workload and concurrency are more than the "
            f"{MAX_BLOCK_PLANS:,} for which precision can set the number of blocks: split the "
            "matrix over several campaigns, or leave precision out"
        )
        yield Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, found.name)
    if count > MAX_TRIALS:
        text = (
            f"{conditions:,} combinations of instance, workload and concurrency with up to "
            f"{blocks:,} blocks, replacements included, are {count:,} trials where a campaign may "
            f"have {MAX_TRIALS:,}: split the matrix over several campaigns, or lower blocks"
        )
        yield Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, found.name)


def rounds(found: CampaignParts) -> Iterator[Problem]:
    """Whether the operator can hold the report of all rounds, once all workloads are found.

    A follow-up's has those of the campaigns that it extends as well.
    """
    interleave, extends = found.campaign.blocks.interleave, found.campaign.extends
    if interleave is None or not _all_workloads(found):
        return
    trials, each_round = _interleaved(found.campaign, found)
    earlier = interleave.rounds * sum(_interleaved(spec, found)[1] for spec in found.before)
    slots, most = each_round * interleave.rounds + earlier, MAX_SLOTS // max(1, each_round)
    if slots <= MAX_SLOTS:
        return
    if extends is not None:
        advice = "delete this one, and extend the other with fewer --blocks, if at all"
    else:
        fewer = f"write blocks.interleave.rounds: {most} or less, or " if most >= MIN_ROUNDS else ""
        advice = f"{fewer}lower blocks, or split the matrix over several campaigns"
    both = " and those of the campaigns that this one extends" if earlier else ""
    text = (
        f"{interleave.rounds:,} rounds of {trials:,} interleaved trials, replacements included"
        f"{both}, make a report of {slots:,} slots (trials x rounds x one more than the arms) "
        f"where it may have {MAX_SLOTS:,}: {advice}"
    )
    yield Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, found.name)


def _interleaved(spec: CampaignSpec, found: CampaignParts) -> tuple[int, int]:
    """The most interleaved trials, and the slots that a round of all of them has in a report."""
    whole, blocks = cells(spec, found.workloads), _most_usual(spec)
    of_cells = [(len(cell.arms), blocks * len(cell.arms) * len(cell.conditions)) for cell in whole]
    trials = sum(trials for _, trials in of_cells)
    return trials, sum(trials * (arms + 1) for arms, trials in of_cells)


def numbers(found: CampaignParts) -> Iterator[Problem]:
    """Whether there are numbers for all interleaved blocks, below those of the solo ones."""
    spec, most = found.campaign, _most_usual(found.campaign)
    if is_fresh_by_block(spec.reset, spec.blocks.per_testbed):
        # Each may leave out the numbers of all blocks that break in the others of its cell.
        whole = cells(spec, found.workloads) if _all_workloads(found) else ()
        others = max((len(cell.conditions) for cell in whole), default=1) - 1
        most += others * (spec.blocks.max_replacements + 1)
    if spec.blocks.interleave is not None and most > SOLO:
        field = "blocks.max" if spec.precision else "blocks.min"
        text = (
            f"{field} and blocks.maxReplacements together may take {most:,} numbers of "
            f"blocks, and with blocks.interleave there are {SOLO:,}: lower one of them"
        )
        yield Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, found.name)


def parallelism(found: CampaignParts) -> Iterator[Problem]:
    """Whether so many cells could ever be measured side by side, once all parts are found."""
    wanted, names = found.campaign.parallelism, named(found.campaign)
    known = found.workloads.keys() >= {*names[WORKLOAD]}
    if wanted == 1 or not known or not found.instances.keys() >= {*names[INSTANCE_TEMPLATE]}:
        return
    outside = [name for name in names[INSTANCE_TEMPLATE] if found.instances[name].is_external]
    if outside:
        why = (
            f"encbench does not know the machine of the external database of InstanceTemplate "
            f"{outside[0]}, so nothing may be measured beside it"
        )
        yield _not_side_by_side(found, 1, why)
        return
    whole = cells(found.campaign, found.workloads)
    if wanted > len(whole):
        why = (
            f"the matrix has {plural(len(whole), 'cell')} (an instance with a dataset), and within "
            "a cell one trial runs at a time"
        )
        yield _not_side_by_side(found, len(whole), why)
        return
    instances, workloads = found.instances, found.workloads
    bound = {
        "databases": [_hosts(instances[cell.instance_ref].placement) for cell in whole],
        "clients": [
            _hosts(*(workloads[level.workload_ref].client.placement for level in cell.conditions))
            for cell in whole
        ],
    }
    for what, by_cell in bound.items():
        hosts = set().union(*by_cell)
        most = len(hosts) + sum(not own for own in by_cell)
        if most < wanted:
            where = f"{', '.join(sorted(hosts))} ({HOSTNAME})"
            why = f"nodeSelectors bind {what} to {where}, and cells do not share a node"
            yield _not_side_by_side(found, most, why)
            return


def _hosts(*placements: Placement) -> set[str]:
    """The nodes to which node selectors bind these pods by name."""
    found = (placement.node_selector.get(HOSTNAME) for placement in placements)
    return {host for host in found if host is not None}


def _not_side_by_side(found: CampaignParts, most: int, why: str) -> Problem:
    instead = f"write {most} or less" if most > 1 else "leave parallelism out"
    text = f"parallelism {found.campaign.parallelism}: {why}: {instead}"
    return Problem(CAMPAIGN, Reason.NOT_SIDE_BY_SIDE, text, found.name)


def interleave(found: CampaignParts) -> Iterator[Problem]:
    """Whether the arms of a block can take turns."""
    if found.campaign.blocks.interleave is None:
        return
    own = {
        "residency: OnDemand runs one database at a time": found.campaign.residency == "OnDemand",
        "cache: Cold restarts a server before every trial": found.campaign.cache == "Cold",
    }
    for why, here in own.items():
        if here:
            yield _not_interleaved(CAMPAIGN, found.name, why)
    if found.installed is not None and not found.installed.turnstile:
        text = (
            "blocks.interleave: this installation has no image of the turnstile: set the chart's "
            "turnstile.image"
        )
        yield Problem(CAMPAIGN, Reason.NOT_INSTALLED, text, found.name)
    for name, workload in found.workloads.items():
        if (hindered := _not_in_turns(workload, found.script(workload))) is not None:
            why, instead = hindered
            yield _not_interleaved(WORKLOAD, name, f"Workload {name}: {why}", instead)
    for name, instance in found.instances.items():
        if instance.is_external:
            why = f"InstanceTemplate {name}: all arms share one external database"
            yield _not_interleaved(INSTANCE_TEMPLATE, name, why)


def _not_in_turns(workload: WorkloadSpec, own: str | None) -> tuple[str, str] | None:
    """Why clients of a workload cannot be stopped, and what to write instead of that."""
    tpcc = workload.tpcc
    if workload.recovery is not None:
        return "a recovery stops the server of one arm alone", ""
    if workload.load.rate is not None:
        return "at a fixed rate transactions queue up while a client is stopped", ""
    if tpcc is not None and tpcc.benchmarksql is not None:
        why = "BenchmarkSQL counts nothing that can be read at the end of a slice"
        return why, f"{own_client(tpcc)}, or "
    if tpcc is not None and tpcc.limit_txns_per_min is not None:
        why = "under limitTxnsPerMin all terminals begin at once in every slice"
        return why, "leave out tpcc.limitTxnsPerMin, or "
    if not workload.load.warmup_seconds:
        why = "load.warmup: 0s leaves the clients no time to connect"
        return why, "write load.warmup: 10s, or "
    if own and len(own) <= LARGEST_SCRIPT and "thread_run" in script.read(own).functions:
        why = "calls of event() are counted, which its script's own thread_run() need not make"
        return why, "write function event() alone, or "
    return None


def extension(found: CampaignParts) -> Iterator[Problem]:
    """Whether a follow-up has the plan of the campaign that it extends."""
    extends = found.campaign.extends
    if extends is not None and (CAMPAIGN, extends.name) in found.malformed:
        text = found.malformed[CAMPAIGN, extends.name]
        yield Problem(CAMPAIGN, Reason.MALFORMED, text, extends.name)
    elif extends is not None:
        yield from extended.problems(
            found.name, found.namespace, found.campaign, extends, found.extended
        )


def _not_interleaved(kind: Kind, name: str, why: str, instead: str = "") -> Problem:
    text = f"{why}, so the arms of a block cannot take turns: {instead}leave out blocks.interleave"
    return Problem(kind, Reason.NOT_INTERLEAVED, text, name)
