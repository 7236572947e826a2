#!/bin/sh
# Pin what the operator (requirements.lock), its tests (requirements-dev.lock) and the build of its
# package (requirements-build.lock) are installed from, each file by its hash. Needs uv.
set -eu
cd "$(dirname "$0")/.."
export UV_CUSTOM_COMPILE_COMMAND=operator/lock.sh
lock() {
    uv pip compile --quiet --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
        --generate-hashes --no-emit-index-url "$@"
}
lock pyproject.toml --output-file operator/requirements.lock "$@"
lock pyproject.toml --group dev --constraint operator/requirements.lock \
    --output-file operator/requirements-dev.lock "$@"
sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml |
    lock - --output-file operator/requirements-build.lock
