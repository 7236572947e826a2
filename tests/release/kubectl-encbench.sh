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
        export PYTHONPATH="$lib/common:$lib/$version"
        exec "$python" -m encbench.cli.main "$@"
    fi
done
echo 'kubectl encbench needs Python 3.11, 3.12, 3.13 or 3.14 on the PATH' >&2
exit 1
