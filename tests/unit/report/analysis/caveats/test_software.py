"""Settings, images and jars that changed within an arm."""

from encbench.report.analysis.caveats import software
from encbench.report.document.trial import TrialView
from tests.unit.report.analysis.caveats.studies import of_sets


def test_settings_that_changed_between_sets_are_serious() -> None:
    """As where the operator was upgraded between them, and sets more for a server than before."""

    def later(trial: TrialView) -> dict[str, str]:
        now = str(trial.generation)
        own = {"hostname2": trial.testbed, "scope": "all" if trial.role == "treatment" else "none"}
        return {"a": now, "b": now, "c": now, "d": now, "e": now, **own}

    (caveat,) = software.changed(of_sets(settings=later))
    assert caveat.weight == "serious"
    assert "of one arm ran with different server settings (a, b, c and 2 others);" in caveat.text
    same = of_sets(settings=lambda t: {"same": "1", "counter": t.testbed, "mode": t.role})
    assert not [*software.changed(same)]
    assert not [*software.changed(of_sets())], "nothing is known"


def test_so_is_the_jar_of_a_driver() -> None:
    def jar(trial: TrialView) -> tuple[str, ...] | None:
        return (f"sha256:{trial.generation:064}",) if trial.role == "treatment" else None

    (caveat,) = software.changed(of_sets(jars=jar))
    assert "of one arm ran with different jars of the mode's driver; the" in caveat.text
    same = of_sets(jars=lambda t: (f"sha256:{t.role == 'treatment':064}",))
    assert not [*software.changed(same)], "each arm has its own"
    assert not [*software.changed(of_sets(jars=lambda t: jar(t) if t.generation == 1 else None))]


def test_so_are_images() -> None:
    def image(trial: TrialView, name: str = "r.invalid/db") -> str:
        return f"{name}@sha256:{trial.generation}"

    found = of_sets(images=lambda t: {"tool": image(t), "server": image(t), "agent": image(t)})
    (caveat,) = software.changed(found)
    assert "with different images of the server and images of the tool; the" in caveat.text
    agents = of_sets(images=lambda t: {"agent": image(t)})
    assert not [*software.changed(agents)], "they are not measured"
    moved = of_sets(images=lambda t: {"tool": f"r{t.generation}.invalid/db@sha256:1"})
    assert not [*software.changed(moved)]
    modes = of_sets(images=lambda t: {"proxy": f"r.invalid/x@sha256:{t.role == 'treatment'}"})
    assert not [*software.changed(modes)], "each arm has its own"
    odd = of_sets(
        images=lambda t: {"tool": image(t) if t.generation == 1 else f"sha256:{t.generation}"}
    )
    assert not [*software.changed(odd)], "of another kind"
