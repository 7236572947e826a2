#!/bin/sh
# Runs a load tool under the recorder's command: run.sh SECONDS COMMAND...
# It needs of the tool's image sh, date, mkfifo, tail and timeout (coreutils or busybox).
#
# Waits at the barrier, then runs COMMAND with this replica's own arguments for at most SECONDS, its
# output in output.log, and ends with its exit code. Files in $ENCBENCH_RUN_DIR:
#   start       FIFO made here; the recorder writes the Unix time to start at and, at that time, "go".
#               A FIFO costs nothing while it waits, and it ends when the recorder dies.
#   ready       our process id, once the FIFO is there
#   began       "<Unix time> <uptime> <CPU ticks of ended children>" right before the tool starts
#   ended       "<exit code> " and the same right after it: the difference in ticks is all of its CPU
set -u

dir=${ENCBENCH_RUN_DIR:-/run/encbench}
seconds=$1
shift
own=
index=${JOB_COMPLETION_INDEX:-0}
eval "own=\${ENCBENCH_REPLICA_$index:-}"

stamp() {
    read -r uptime _ </proc/uptime
    read -r stat </proc/$$/stat
    # shellcheck disable=SC2086 # one field a word; the first is the third of proc(5)
    set -- ${stat##*) }
    unix=$(date +%s.%N)
    case $unix in *[!0-9.]* | *.) unix=$(date +%s) ;; esac
    printf '%s %s %s\n' "$unix" "$uptime" "$((${14} + ${15}))"
}

mkfifo "$dir/start" || exit 70
printf '%s\n' "$$" >"$dir/ready"
exec 3<"$dir/start"
if ! read -r _ <&3 || ! read -r _ <&3; then
    echo 'encbench: the recorder ended before it released the tool' >&2
    exit 70
fi
exec 3<&-

# Each client thread has a connection, and some runtimes give a process no more than 1,024 files until
# it asks. Where the limit is firm the tool says itself what it lacks.
# shellcheck disable=SC3045 # dash and busybox have both
ulimit -S -n "$(ulimit -H -n)" 2>/dev/null || :

child=
trap '[ -z "$child" ] || kill -TERM "$child"' TERM INT
stamp >"$dir/began"
# shellcheck disable=SC2086 # the replica's own arguments are plain words
timeout "$seconds" "$@" $own >"$dir/output.log" 2>&1 &
child=$!
wait "$child"
code=$?
# A signal interrupts wait, which then has a code of its own; the tool's comes with the next one. When
# there is no more to come, some shells say 127 (bash in words, too) and others the same again.
while wait "$child" 2>/dev/null; next=$?; [ "$next" -ne 127 ]; do
    [ "$next" -ne "$code" ] || kill -0 "$child" 2>/dev/null || break
    code=$next
done
{ printf '%s ' "$code" && stamp; } >"$dir/ended"
[ "$code" -eq 0 ] || tail -n 20 "$dir/output.log" >&2
exit "$code"
