#!/bin/sh
# kubectl encbench, as krew installs it: finds a Python, and the libraries for it beside this file.
set -eu
program=$0
while [ -L "$program" ]; do
    link=$(readlink "$program")
    case $link in
        /*) program=$link ;;
        *) program=$(dirname "$program")/$link ;;
    esac
done
lib=$(cd "$(dirname "$program")" && pwd)/lib
for python in python3 python3.14 python3.13 python3.12 python3.11; do
    version=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if [ -d "$lib/$version" ]; then
        # kubectl's credential plugins may be Python programs, which PYTHONPATH would reach, too.
        # Without -P Python would import from the current folder.
        exec "$python" -P -c 'import sys
sys.path[:0] = sys.argv[1:3]
del sys.argv[1:3]
from encbench.cli.main import main
sys.exit(main())' "$lib/common" "$lib/$version" "$@"
    fi
done
echo 'kubectl encbench needs Python 3.11, 3.12, 3.13 or 3.14 on the PATH' >&2
exit 1
