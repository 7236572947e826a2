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
# What is compiled for one machine fails in a Python for another, such as an Intel Mac's on Apple
# silicon. Without -P Python would import from the current folder.
probe='import sys
own = "%s/cp%d%d" % (sys.argv[1], *sys.version_info[:2])
sys.path[:0] = [sys.argv[1] + "/common", own]
import pydantic_core
print(own)
sys.exit(not pydantic_core.__file__.startswith(own))'
for python in python3 python3.14 python3.13 python3.12 python3.11; do
    if own=$("$python" -P -c "$probe" "$lib" 2>/dev/null); then
        # kubectl's credential plugins may be Python programs, which PYTHONPATH would reach, too.
        exec "$python" -P -c 'import sys
sys.path[:0] = sys.argv[1:3]
del sys.argv[1:3]
from encbench.cli.main import program
program()' "$lib/common" "$own" "$@"
    fi
done
echo "kubectl encbench needs Python 3.11, 3.12, 3.13 or 3.14 for $(uname -m) on the PATH" >&2
exit 1
