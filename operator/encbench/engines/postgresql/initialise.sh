#!/bin/sh
# Makes the data directory, once. Usage: initialise.sh <volume> <postgresql.conf> <init.sql>
#
# The marker is written last: a data directory without it is half-built (the pod was killed in
# between) and is made anew. Nothing can be lost by that, since no server has run on it yet.
#
# initdb and the single-user server ask for the name of the user that they run as, which no image
# knows: the pod mounts an /etc/passwd with it.
set -eu

volume=$1
config=$2
statements=$3
marker=$volume/initialised

if [ -e "$marker" ]; then
  # A volume that was mounted anew may be open to its group, and then the server does not start.
  chmod 0700 "$volume/data"
  exit 0
fi
rm -rf "$volume/data"

# The pod has no huge pages: where its node has some, the servers that initdb starts would be killed
# for touching them. Only from 16 on initdb takes settings, but every version takes its template of
# postgresql.conf from a folder of our choice. Its first servers, which try how much memory it has,
# read no template: they may be killed, and initdb goes on. Their cores must not lie in the data.
# shellcheck disable=SC3045 # dash, bash and busybox have it
ulimit -c 0
template=$volume/template
shown=$(initdb --show --pgdata="$volume/data" 2>&1) || { echo "$shown" >&2 && exit 1; }
share=$(echo "$shown" | sed -n 's/^share_path=//p')
rm -rf "$template"
mkdir "$template"
ln -s "$share"/* "$template"
rm "$template/postgresql.conf.sample"
{ cat "$share/postgresql.conf.sample" && echo "huge_pages = off"; } \
  >"$template/postgresql.conf.sample"

# The C locale is in every image, and sorts the same in each. Checksums are on: a page that an
# encrypting layer below spoilt is an error then, not a figure. Both are the same in every arm.
initdb -L "$template" --pgdata="$volume/data" --username=postgres --auth=reject --encoding=UTF8 \
  --no-locale --data-checksums --no-instructions
rm -rf "$template"

# shellcheck source=/dev/null
. "$(dirname "$config")/shared.sh"
validates() { postgres -D "$volume/data" --config-file="$1" -C data_directory 2>&1; }
stop_at_refused_settings "$config" "$volume/validated.conf" '(LOG|FATAL): '

# The statements hold passwords: neither one that fails nor, by settings such as log_statement, any
# other may be written to the log. What an error says is FATAL here, and all else stays below.
# Without -D the server looks for the directory of the image's PGDATA first, as in start.sh.
postgres --single -j -D "$volume/data" --config-file="$config" -c exit_on_error=on \
  -c log_min_error_statement=panic -c log_min_messages=fatal template1 <"$statements" >/dev/null

sync_volume "$volume"
: >"$marker"
