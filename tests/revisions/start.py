"""Starts the dump beside a revision's code: `python -P start.py FOLDER`, with PYTHONPATH its tree.

There `tests` is the revision's own package, while `tests.revisions` is always this one.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def use_this_package() -> None:
    """Make `tests.revisions` the folder of this file."""
    here = Path(__file__).resolve().parent
    places = [str(here)]
    spec = spec_from_file_location(
        "tests.revisions", here / "__init__.py", submodule_search_locations=places
    )
    assert spec is not None
    assert spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["tests.revisions"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    use_this_package()
    from tests.revisions.dump import main

    main(Path(sys.argv[1]))
