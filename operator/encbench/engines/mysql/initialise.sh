#!/bin/sh
# Makes the data directory, once. Usage: initialise.sh <volume> <folder of the configuration>
#
# Each time: a folder with a link to the image's mysqld and to its plugins, beside which the files
# of the keyring may lie (see layout.py), and an option file with what only the image knows.
# The marker is written last: a data directory without it is half-built (the pod was killed in
# between) and is made anew, with its keyring. Nothing can be lost by that, since no server has run
# on it yet.
set -eu

volume=$1
config=$2
program=$volume/program
marker=$volume/initialised

# As for the server (see `with_files`): 5.7 reserves memory for each file that it may open.
# shellcheck disable=SC3045 # dash and busybox have both
ulimit -S -n 65536 2>/dev/null || ulimit -S -n "$(ulimit -H -n)" 2>/dev/null || :

mysqld=$(command -v mysqld) || {
  echo "this image has no mysqld on its PATH: use an image of the MySQL server" >&2
  exit 1
}
said=$("$mysqld" --no-defaults --verbose --help 2>/dev/null) || said=
basedir='' plugins=''
while read -r name value; do
  case $name in
    basedir) basedir=$value ;;
    plugin-dir) plugins=$value ;;
  esac
done <<SAID
$said
SAID
if [ ! -d "$basedir" ] || [ ! -d "$plugins" ]; then
  echo "$mysqld does not say where its files and plugins are: use an image of MySQL 5.7 or later" >&2
  exit 1
fi

# What a killed server left for its socket bears its process number, which may be the agent's in a
# new pod. No server runs yet.
rm -f "$volume"/*.sock.lock

rm -rf "$program"
mkdir -p "$program/plugins" "$volume/tmp"
ln -s "$mysqld" "$program/mysqld"
for plugin in "$plugins"/*.so; do
  ln -s "$plugin" "$program/plugins/"
done
if [ -e "$config/mysqld.my" ]; then
  cp "$config/mysqld.my" "$program/"
  cp "$config/component_keyring_file.cnf" "$program/plugins/"
fi
printf '[mysqld]\nbasedir=%s\nplugin_dir=%s\n' "$basedir" "$program/plugins" \
  >"$program/places.cnf"

if [ -e "$marker" ]; then
  exit 0
fi
rm -rf "$volume/data" "$volume/keyring"
mkdir -m 700 "$volume/keyring"

# shellcheck source=/dev/null
. "$config/shared.sh"
case $said in
  *validate-config*)
    validates() { "$program/mysqld" --defaults-file="$1" --validate-config 2>&1; }
    ;;
  *) # 5.7
    validates() { { "$program/mysqld" --defaults-file="$1" --verbose --help >/dev/null; } 2>&1; }
    ;;
esac
stop_at_refused_settings "$config/server.cnf" "$volume/tmp/validated.cnf" '\[ERROR\]'

# The same option file as the server's, so that an encrypted arm is encrypted from its first byte.
"$program/mysqld" --defaults-file="$config/server.cnf" --initialize-insecure

sync_volume "$volume"
: >"$marker"
