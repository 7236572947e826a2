#!/bin/sh
# Pin what the operator (requirements.lock), its tests beside that (requirements-dev.lock), the build
# of its package (requirements-build.lock) and the tests' installer (requirements-uv.lock) are
# installed from, each file by its hash. Needs uv.
set -eu
cd "$(dirname "$0")/.."
export UV_CUSTOM_COMPILE_COMMAND=operator/lock.sh
lock() {
    uv pip compile --quiet --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
        --generate-hashes --no-emit-index-url "$@"
}
lock pyproject.toml --extra operator --output-file operator/requirements.lock "$@"
lock pyproject.toml --extra operator --extra data --group dev --constraint operator/requirements.lock \
    --output-file operator/requirements-dev.lock "$@"
# What the operator needs stands in its own file alone; the tests install both.
own=$(awk 'NR == FNR { if ($1 ~ /==/) known[$1]; next } /^[A-Za-z0-9]/ { drop = $1 in known } !drop' \
    operator/requirements.lock operator/requirements-dev.lock)
printf '%s\n' "$own" >operator/requirements-dev.lock
sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml |
    lock - --output-file operator/requirements-build.lock
echo uv | lock - --output-file operator/requirements-uv.lock
