#!/bin/sh
# Makes the data directory, once. Usage: initialise.sh <volume> <server.cnf>
#
# The same option file as the server's, so that an encrypted arm is encrypted from its first byte.
# The marker is written last: a data directory without it is half-built (the pod was killed in
# between) and is made anew. Nothing can be lost by that, since no server has run on it yet.
set -eu

volume=$1
config=$2
marker=$volume/initialised

mkdir -p "$volume/tmp"
if [ -e "$marker" ]; then
  exit 0
fi
rm -rf "$volume/data"

# shellcheck source=/dev/null
. "$(dirname "$config")/shared.sh"
# MariaDB has no option that only validates. Its help reads every option first.
validates() { { mariadbd --defaults-file="$1" --verbose --help >/dev/null; } 2>&1; }
stop_at_refused_settings "$config" "$volume/tmp/validated.cnf" '\[ERROR\]'

# root may log in by the unix socket only and as the system's root, whom this pod does not have.
mariadb-install-db --defaults-file="$config" --datadir="$volume/data" --skip-name-resolve \
  --skip-test-db --auth-root-authentication-method=socket --auth-root-socket-user=root

sync_volume "$volume"
: >"$marker"
