"""Connections with TLS, whose handshakes no figure has."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.report.analysis.caveats import tls
from tests.support.testbeds import TDE, TLS
from tests.unit.report.analysis.caveats.studies import CALM, titles, unmeasured

TITLE = "Handshakes of TLS"
LEFT_OUT = "no figure has the cost of a handshake"
OWN = "Under oltp-read-write a script of your own ran: if it connects again in event(), "


@pytest.mark.parametrize(
    ("modes", "said"),
    [
        ({"modes": {"tde": TLS}}, True),
        ({"baseline": TLS, "modes": {"tde": {**TDE, **TLS}}}, True),
        ({"modes": {"tde": TDE}}, False),
    ],
)
def test_handshakes_that_are_left_out_are_named(modes: dict[str, Any], said: bool) -> None:
    assert (TITLE in titles(replace(CALM, **modes))) is said


@pytest.mark.parametrize("own", [False, True])
def test_a_script_of_the_user_s_own_may_connect_again(own: bool) -> None:
    found = unmeasured(replace(CALM, modes={"tde": TLS}))
    (name,) = found.resolved.workloads
    workload = found.resolved.workloads[name]
    script = {"script": None, "script_config_map_ref": {"name": "mine", "key": "mine.lua"}}
    sysbench = workload.sysbench_test.model_copy(update=script if own else {})
    changed = {name: workload.model_copy(update={"sysbench": sysbench})}
    resolved = found.resolved.model_copy(update={"workloads": changed})
    (caveat,) = tls.handshakes(replace(found, resolved=resolved))
    assert (LEFT_OUT in caveat.text) is not own
    assert (OWN in caveat.text) is own
