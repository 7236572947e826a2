"""Whether the server keeps as many prepared statements as a workload's sessions have at once.

It refuses the first one beyond its limit, when hours of loading are over: each trial would fail.
"""

from collections.abc import Iterator

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import Sessions
from encbench.engines.innodb.settings import MOST_STATEMENTS, STATEMENTS, parse_size


def problems(instance: InstanceTemplateSpec, sessions: Sessions) -> Iterator[Problem]:
    """A problem if they are more than the setting; none of a value that the server itself judges.

    What a version takes at most differs, so a higher value of the template's own is believed.
    """
    limit = parse_size(instance.settings.get(STATEMENTS, MOST_STATEMENTS))
    opened = sessions.count * sessions.statements
    if limit is None or opened <= limit:
        return
    own = "" if STATEMENTS in instance.settings else ", if the server's version takes it"
    text = (
        f"{sessions} are {opened:,} statements, more than settings.{STATEMENTS} allows, which is "
        f"{limit:,}: write fewer tables, a lower load.concurrency, db-ps-mode: disable in "
        f"sysbench.options, or settings.{STATEMENTS} of {opened} or more{own}"
    )
    yield Problem(INSTANCE_TEMPLATE, Reason.SETTING_INVALID, text)
