#!/bin/sh
# Pushes this release's images: ./push.sh registry.example.com/mirror [OPTIONS OF skopeo copy...]
set -eu
registry=${1:?name a registry, such as registry.example.com/mirror}
shift
cd "$(dirname "$0")"
while read -r archive reference; do
    skopeo copy --all "$@" "oci-archive:$archive" "docker://$registry/$reference"
done <images/list
