#!/bin/sh
# Make the Python environment of the tests and print its path. It lies in the cache, keyed by the
# locked requirements and the interpreter, and is trusted only with its `ok` file, written last.
set -eu
cd "$(dirname "$0")/.."
cache=${ENCBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/encbench}
locks='operator/requirements.lock operator/requirements-dev.lock'
# shellcheck disable=SC2086 # two names
key=$({ cat $locks; python3 --version; } | sha256sum | cut -c1-16)
venv=$cache/venv/$key
if [ ! -e "$venv/ok" ]; then
    # A run that finds it half made waits, instead of removing what another run is making.
    mkdir -p "$cache/venv"
    exec 9>"$venv.lock"
    flock 9
fi
if [ ! -e "$venv/ok" ]; then
    echo "making the Python environment in $venv" >&2
    rm -rf "$venv"
    if ! python3 -m venv "$venv" >&2; then
        # Debian ships venv apart from the interpreter. `make` runs tests.cluster beside this script,
        # and an apt-get fails at once while another one updates its lists: whoever installs takes
        # the lock of tests/cluster/packages.py. Others on this machine have five minutes to end.
        rm -rf "$venv"
        apt() { flock "$cache/apt.lock" apt-get -qq -oDPkg::Lock::Timeout=300 "$@" >&2; }
        # Nor does that option make it wait for who updates the lists without that lock.
        tries=300
        until said=$(apt update 2>&1); do
            tries=$((tries - 1))
            case $said in
            */lists/lock*) [ "$tries" -gt 0 ] && sleep 1 && continue ;;
            esac
            echo "$said" >&2
            exit 100
        done
        apt install -y --no-install-recommends python3-venv
        python3 -m venv "$venv" >&2
    fi
    # uv needs a tenth of pip's time, but reads none of its settings: where these are what leads to an
    # index, pip installs. Neither compiles, because only what is imported need be compiled.
    set -- --require-hashes -r operator/requirements.lock -r operator/requirements-dev.lock
    pip() { "$venv/bin/pip" install --quiet --no-compile "$@"; }
    {
        pip --require-hashes -r operator/requirements-uv.lock
        "$venv/bin/uv" pip install --quiet --no-cache --python "$venv/bin/python" "$@" || pip "$@"
    } >&2
    touch "$venv/ok"
fi
echo "$venv"
