#!/bin/sh
# Mounts a file system over a disk and stays in front until it is told to end.
#
#   mount-volume AES-GCM|XChaCha20-Poly1305|none <lower> <mount point> [<file with the password>]
#
# On the disk, <lower>/cipher is what lies below the mount, and <lower>/stopped is there only while the
# last server ended by itself: whoever copies the ciphertext asks for it. The disk is made ready once;
# the folder gets its name last, so that one that was half made is made anew.
#
# With ENCBENCH_USER=<number> root becomes that user before anything is mounted; not every kernel lets
# others than root open /dev/fuse, so the container's own node is opened to all first.
set -eu

if [ -n "${ENCBENCH_USER:-}" ] && [ "$(id -u)" = 0 ]; then
  chmod 666 /dev/fuse
  exec setpriv --reuid "$ENCBENCH_USER" --regid "$ENCBENCH_USER" --clear-groups "$0" "$@"
fi

cipher=$1 lower=$2 point=$3 password=${4:-}

# A predecessor that was killed leaves a mount that answers nothing.
fusermount3 -u -q -z "$point" 2>/dev/null || true
mkdir -p "$point"
rm -f "$lower/stopped"

if [ ! -d "$lower/cipher" ]; then
  rm -rf "$lower/making"
  mkdir "$lower/making"
  # The password is a random key: stretching it (scrypt) would only take memory.
  case $cipher in
    AES-GCM) gocryptfs -init -q -scryptn 10 -passfile "$password" "$lower/making" ;;
    XChaCha20-Poly1305) gocryptfs -init -q -scryptn 10 -xchacha -passfile "$password" "$lower/making" ;;
    none) ;;
    *) echo "mount-volume: no cipher is called $cipher" >&2; exit 64 ;;
  esac
  sync
  mv "$lower/making" "$lower/cipher"
fi

if [ "$cipher" = none ]; then
  passthrough "$lower/cipher" "$point" &
else
  gocryptfs -q -fg -nosyslog -allow_other -passfile "$password" "$lower/cipher" "$point" &
fi
child=$!

# Unmounting waits until nobody sees the mount any more, and a mount namespace that somebody else made
# in between may keep it in sight for good. By then every write has reached the disk's file system.
patience=10
end() {
  # A server that ended by itself has removed its pid file.
  if [ -z "$(find "$point" -maxdepth 2 -name '*.pid' 2>/dev/null)" ]; then
    clean=yes
  fi
  kill -TERM "$child"
  (sleep "$patience" && kill -KILL "$child") 2>/dev/null &
  guard=$!
}
clean='' guard=''
trap end TERM INT

# A signal ends a wait early.
code=0
while kill -0 "$child" 2>/dev/null; do
  code=0
  wait "$child" || code=$?
done
# Its number may soon be another process's.
[ -z "$guard" ] || kill "$guard" 2>/dev/null || true
if grep -q " $point fuse" /proc/self/mounts; then
  echo "mount-volume: $point was still mounted" >&2
  fusermount3 -u -q -z "$point" || true
  exit 1
fi
if [ -z "$clean" ]; then
  exit "$code"
fi
: >"$lower/stopped"
