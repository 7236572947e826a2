#!/bin/sh
# Starts the server. Usage: start.sh <volume> <postgresql.conf>
#
# To PostgreSQL the signal TERM means to wait until every client has left, which the agent never
# does. INT means to end them and to write what is dirty.
set -u

# What a killed server left behind, for its data and its socket, bears its process number. In a new
# pod that number may be the agent's, and the server would not start next to a process that it takes
# for itself.
for lock in "$1/data/postmaster.pid" "$1"/.s.PGSQL.*.lock; do
  if read -r pid 2>/dev/null <"$lock"; then
    name=
    read -r name 2>/dev/null <"/proc/$pid/comm" || :
    [ "$name" = postgres ] || rm -f "$lock"
  fi
done

# PostgreSQL removes its pid file even where one of its processes has crashed. This one stays then,
# because a copy of the data is refused while there is a pid file. Without the data, a file system
# has died below the server: a new one is mounted on an empty folder only.
crashed=$1/crashed.pid
rm -f "$crashed"

server=
signalled=
trap 'signalled=1; [ -z "$server" ] || kill -INT "$server"' TERM INT

# Without -D the server looks for the directory of the image's PGDATA first and ends without it,
# whatever its settings say. The image of 18 has none.
postgres -D "$1/data" --config-file="$2" &
server=$!
[ -z "$signalled" ] || kill -INT "$server"

wait "$server"
code=$?
# A signal interrupts wait; the server's own exit code comes with the next one. A code that wait has
# given before is 127 then.
while [ -n "$signalled" ]; do
  signalled=
  wait "$server" 2>/dev/null
  own=$?
  [ "$own" -eq 127 ] || code=$own
done
[ "$code" -eq 0 ] || [ ! -d "$1/data" ] || touch "$crashed"
exit "$code"
