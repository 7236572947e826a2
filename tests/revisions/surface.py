"""Everything that the dump imports from the revision under test, and where each revision has it.

The dump itself comes from this tree for both revisions; `encbench` and the rest of `tests` are the
revision's own. When a module moves, add its new place here, before the old one. Nothing else of the
dump changes.
"""

import marshal
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

PLACES: dict[str, tuple[str, ...]] = {
    # The simulated world: real reconcilers, fake ports, all other controllers played.
    "World": ("tests.unit.reconcile.world:World",),
    "SPACE": ("tests.unit.reconcile.world:SPACE",),
    "NAME": ("tests.unit.reconcile.world:NAME",),
    "fake_cluster": ("tests.support.fake_cluster",),
    "Model": ("encbench.api.base:Model",),
    "kinds": ("encbench.api.kinds",),
    # Which columns a mode encrypts, for the agents' answers about TPC-C's tables.
    "chosen_columns": ("encbench.core.columns.selection:for_proxy",),
    "all_columns": ("encbench.core.columns.selection:for_proxy_all",),
    # Synthetic studies, and the way from one to its renderings.
    "Study": ("tests.data.report.synthetic:Study",),
    "report_of": ("tests.data.report.golden:report_of",),
    "render": ("encbench.report.formats.render:render",),
    "renderer": ("encbench.report.formats.render",),
    "to_status": ("encbench.report.analysis.build:to_status",),
    "summary": ("encbench.report.formats.summary:text",),
    "ReportStatus": ("encbench.api.overheadreport:OverheadReportStatus",),
    # The command line, and what `kubectl kustomize` makes of a campaign's folder.
    "built": ("tests.support.kustomize:built",),
    "cli": ("encbench.cli.main:main",),
}
"""Each thing's places, newest first: a module, or a name in one."""


def find(thing: str) -> Any:
    """The thing at this revision; LookupError where it is in none of its places."""
    for place in PLACES[thing]:
        name, _, attribute = place.partition(":")
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            # A module that is there and lacks one of its own imports is a fault, not a move.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            continue
        if not attribute:
            return module
        if hasattr(module, attribute):
            return getattr(module, attribute)
    raise LookupError(f"{thing} is in none of {PLACES[thing]}: add its place to {__file__}")


def quicken() -> Callable[[], None]:
    """Skip work that takes time and shows nothing; return a function that restores the HTML page.

    The fake API server holds JSON, which needs no `deepcopy`. Models are frozen, so one parse of
    the same object is enough. The page is drawn only for the synthetic studies.
    """
    quick = SimpleNamespace(deepcopy=lambda value: marshal.loads(marshal.dumps(value, 2)))  # noqa: S302
    find("fake_cluster").copy = quick
    _parse_once(find("Model"))
    renderer = find("renderer")
    page = renderer.page
    renderer.page = lambda report: "<html></html>"
    return lambda: setattr(renderer, "page", page)


def _parse_once(model: Any) -> None:
    validate, known = model.model_validate.__func__, dict[tuple[type[Any], bytes], Any]()

    def parsed(cls: type[Any], /, value: Any, **how: Any) -> Any:
        try:
            key = cls, marshal.dumps(value, 2)
        except ValueError:  # Models stand within it.
            return validate(cls, value, **how)
        if how or key not in known:
            known[key] = validate(cls, value, **how)
        return known[key]

    model.model_validate = classmethod(parsed)
