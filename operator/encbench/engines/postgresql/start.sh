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

server=
signalled=
trap 'signalled=1; [ -z "$server" ] || kill -INT "$server"' TERM INT

postgres --config-file="$2" &
server=$!
[ -z "$signalled" ] || kill -INT "$server"

wait "$server"
code=$?
# A signal interrupts wait; the server's own exit code comes with the next one.
while [ -n "$signalled" ] && kill -0 "$server" 2>/dev/null; do
  wait "$server"
  code=$?
done
exit "$code"
