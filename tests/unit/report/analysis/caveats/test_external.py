"""Databases that others run."""

from dataclasses import replace

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.report.analysis.caveats import external
from tests.support.testbeds import TLS
from tests.support.workloads import tpcc_spec
from tests.unit.report.analysis.caveats.studies import CALM, outside, unmeasured


@pytest.mark.parametrize(("mode", "told"), [("tde", True), ("unused", False)])
def test_a_url_of_the_user_s_own_is_not_said_to_turn_tls_off(mode: str, told: bool) -> None:
    found = unmeasured(replace(CALM, workloads=("tpcc",), tpcc=True))
    (name,) = found.resolved.workloads
    jar = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "jars", "path": "d.jar"}
    changed = {
        "instances": outside(found),
        "workloads": {name: tpcc_spec({"benchmarksql": {}}, {"warmup": "0s", "duration": "1m"})},
        "modes": {
            **found.resolved.modes,
            mode: EncryptionModeSpec.model_validate({"driver": {"jar": jar}}),
        },
    }
    facts = replace(found, resolved=found.resolved.model_copy(update=changed))
    _, caveat = external.external_database(facts)
    assert caveat.title == "Plaintext in transit not proven"
    assert ("that of tde is driver.jar's own, and was not judged" in caveat.text) == told


@pytest.mark.parametrize(("engine", "told"), [("mysql", True), ("postgresql", False)])
def test_tls_that_only_the_server_speaks_of_is_said_to_be_its_word(
    engine: str, *, told: bool
) -> None:
    found = unmeasured(replace(CALM, modes={"tde": TLS}))
    own = {name: one.model_copy(update={"engine": engine}) for name, one in outside(found).items()}
    facts = replace(found, resolved=found.resolved.model_copy(update={"instances": own}))
    (caveat,) = external.external_database(facts)
    assert ("Clients of tde did not insist on TLS" in caveat.text) == told
