#!/bin/sh
# Mounts a file system over a disk and stays until a signal ends it. It runs as root.
#
#   mount-volume AES-GCM|XChaCha20-Poly1305|none <lower> <mount point> [<file with the password>]
#
# On the disk, <lower>/cipher is the folder below the mount. <lower>/stopped exists only if the last
# server ended by itself; the program that copies the ciphertext looks for it. The disk is prepared
# once. The folder gets its name last, so a folder that was half prepared is prepared again.
#
# With ENCBENCH_USER=<number>, everything that sees data runs as that user, who mounts with
# fusermount3. Root opens /dev/fuse to that user (not every kernel opens it to others) and unmounts,
# because fusermount3 would need files that a read-only container does not have.
set -eu

cipher=$1 lower=$2 point=$3 password=${4:-}

as_user() {
  if [ -n "${ENCBENCH_USER:-}" ]; then
    exec setpriv --reuid "$ENCBENCH_USER" --regid "$ENCBENCH_USER" --clear-groups "$@"
  fi
  exec "$@"
}

init() {
  (as_user gocryptfs -init -q -scryptn 10 -passfile "$password" "$@" "$lower/making")
}

if [ -n "${ENCBENCH_USER:-}" ]; then
  chmod 666 /dev/fuse
fi
# A predecessor that was killed leaves a dead mount.
umount -l "$point" 2>/dev/null || true
(as_user mkdir -p "$point")
rm -f "$lower/stopped"

if [ ! -d "$lower/cipher" ]; then
  rm -rf "$lower/making"
  (as_user mkdir "$lower/making")
  # The password is a random key: stretching it (scrypt) would only take memory.
  case $cipher in
    AES-GCM) init ;;
    XChaCha20-Poly1305) init -xchacha ;;
    none) ;;
    *) echo "mount-volume: no cipher is called $cipher" >&2; exit 64 ;;
  esac
  sync -f "$lower"
  mv "$lower/making" "$lower/cipher"
fi

# A privileged container sees the control groups of its whole node (version 2). The agent finds its
# own, with what its CPU limit held up, by this path.
ENCBENCH_CGROUP=$(sed -n 's/^0:://p' /proc/self/cgroup)
export ENCBENCH_CGROUP

if [ "$cipher" = none ]; then
  as_user passthrough "$lower/cipher" "$point" &
else
  as_user gocryptfs -q -fg -nosyslog -allow_other -passfile "$password" "$lower/cipher" "$point" &
fi
child=$!

# Without its mount the program ends. The mount stays while a mount namespace that was made meanwhile
# keeps it in sight; by then every write has reached the disk's file system.
patience=10
clean='' guard=''
end() {
  # A server that ended by itself has removed its pid file. A search that fails has seen nothing.
  if left=$(find "$point" -maxdepth 2 -name '*.pid') && [ -z "$left" ]; then
    clean=yes
  fi
  umount "$point" || clean=''
  umount -l "$point" 2>/dev/null || true
  (sleep "$patience" && kill -KILL "$child") 2>/dev/null &
  guard=$!
}
trap end TERM INT

# A signal ends a wait early.
code=0
while kill -0 "$child" 2>/dev/null; do
  code=0
  wait "$child" || code=$?
done
# Its number may soon be another process's.
[ -z "$guard" ] || kill "$guard" 2>/dev/null || true
umount -l "$point" 2>/dev/null || true
if [ -z "$guard" ]; then
  exit "$code"
fi
if [ -z "$clean" ]; then
  echo "mount-volume: the server did not end before it" >&2
  exit 1
fi
: >"$lower/stopped"
