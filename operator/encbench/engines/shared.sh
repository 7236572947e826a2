# shellcheck shell=sh
# Sourced by each engine's initialise.sh.

# Has the server validate its own option file.
#
# A server stops at its first mistake, or at the first of a kind. So each name that it complains
# about is taken out of a copy of the file, and the rest is validated again. The operator gets the
# names alone, as JSON in the termination message: a server's own text may hold anything.
#
# Usage: stop_at_refused_settings <option file> <scratch file> <pattern of complaints>
# The caller defines `validates <option file>`: it succeeds where the server takes the file, and
# prints what the server says.
stop_at_refused_settings() {
  cp "$1" "$2"
  refused=''
  while ! said=$(validates "$2"); do
    found=''
    names=$(sed -n 's/^\([a-z][a-z0-9_]*\) *=.*/\1/p' "$2" | sort -u)
    # A server quotes names, with dashes if it prefers them.
    complaints=$(printf '%s\n' "$said" | grep -E "$3" | tr - _) || complaints=''
    for name in $names; do
      case $complaints in
        *[\'\"]"$name"[\'\"=]*)
          found="$found${found:+\", \"}$name"
          sed -i "/^$name *=/d" "$2"
          ;;
      esac
    done
    if [ -z "$found" ]; then
      break # It says nothing about a setting; its start will say the same.
    fi
    refused="$refused${refused:+\", \"}$found"
  done
  rm -f "$2"
  if [ -n "$refused" ]; then
    printf '{"refusedSettings": ["%s"]}\n' "$refused" >"${TERMINATION_LOG:-/dev/termination-log}"
    echo "the server refuses these settings: \"$refused\"" >&2
    exit 78 # EX_CONFIG of sysexits.h
  fi
}

# Has the kernel write what it keeps of the volume, and of no other disk of the node: that may be
# another campaign's, which is measured. A FUSE file system does not pass this on to its disk, and no
# image's sync before coreutils 8.24 takes a file.
#
# Usage: sync_volume <volume>
sync_volume() {
  { ! grep -q " $1 fuse" /proc/self/mounts && sync -f "$1" 2>/dev/null; } || sync
}
