#!/bin/sh
# The regression tests with another suite's PostgreSQL, in a file system of that suite.
#
#   release.sh outside ROOT VERSION KEY     mounts what programs need, and goes on inside
#   release.sh inside VERSION KEY           installs, compiles and tests
set -eu

if [ "$1" = outside ]; then
  mount -t proc proc "$2/proc"
  mount --rbind /dev "$2/dev"
  cp /etc/resolv.conf "$2/etc/resolv.conf"
  cp -r /etc/apt/apt.conf.d/. "$2/etc/apt/apt.conf.d/"
  exec chroot "$2" sh /release.sh inside "$3" "$4"
fi

version=$2
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/none.conf
export DEBIAN_FRONTEND=noninteractive
apt-get -qq -o Acquire::Check-Valid-Until=false update
apt-get -qq install -y --no-install-recommends "postgresql-$version" \
  "postgresql-server-dev-$version" gcc libc6-dev libssl-dev make >/dev/null

programs=/usr/lib/postgresql/$version/bin
for part in /enclave /enclave/client; do
  make -s -C "$part" PG_CONFIG="$programs/pg_config" install >/dev/null
done

as_server() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
mkdir -p /server /results
printf '%s\n' "$3" >/server/key
chown -R postgres:postgres /server
cd /server
as_server "$programs/initdb" -D /server/data -U postgres --no-locale --encoding=UTF8 -A trust >/dev/null
cat >>/server/data/postgresql.conf <<SETTINGS
listen_addresses = ''
unix_socket_directories = '/server'
encbench_enclave.key_file = '/server/key'
encbench_enclave.transition_ns = 0
encbench_enclave.value_ns = 0
session_preload_libraries = 'encbench_enclave'
SETTINGS
as_server "$programs/pg_ctl" -D /server/data -l /server/log -w start >/dev/null
tests=$(sed -n 's/^REGRESS = //p' /enclave/Makefile)
code=0
# shellcheck disable=SC2086 # a list of names
"${programs%/bin}/lib/pgxs/src/test/regress/pg_regress" --bindir="$programs" --host=/server \
  --user=postgres --dbname=regress --no-locale --inputdir=/enclave --outputdir=/results $tests ||
  code=$?
cat /results/regression.diffs 2>/dev/null || :
as_server "$programs/pg_ctl" -D /server/data -m fast stop >/dev/null
exit "$code"
