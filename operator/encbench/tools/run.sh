#!/bin/sh
# Runs a load tool under the recorder's command: run.sh SECONDS COMMAND...
# It needs of the tool's image sh, mkfifo, sleep, tail and timeout (coreutils or busybox).
#
# Waits at the barrier, then runs COMMAND with this replica's own arguments for at most SECONDS, its
# output in output.log, and ends with its exit code. Files in $ENCBENCH_RUN_DIR:
#   start       FIFO made here; at the time to start the recorder writes it as Unix time, and "go". A
#               FIFO costs nothing while it waits, and it ends when the recorder dies. COMMAND has the
#               time in ENCBENCH_START_AT.
#   ready       our process id, once the FIFO is there
#   began       "<uptime> <CPU ticks of ended children>" right before the tool starts
#   ended       "<exit code> " and the same right after it: the difference in ticks is all of its CPU
# Between "go" and the tool this shell starts no other program. Where many clients share a machine,
# each program would be one more turn for a CPU, and their tools would not start together.
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
    printf '%s %s\n' "$uptime" "$((${14} + ${15}))"
}

# The shell itself says why before that, such as that no space is left on the device.
cannot_write() {
    echo "encbench: cannot write $dir/$1, so the tool was not started" >&2
    exit 70
}

# Each client thread has a connection, and some runtimes give a process no more than 1,024 files until
# it asks. Where the limit is firm the tool says itself what it lacks.
# shellcheck disable=SC3045 # dash and busybox have both
ulimit -S -n "$(ulimit -H -n)" 2>/dev/null || :

mkfifo "$dir/start" || exit 70
printf '%s\n' "$$" >"$dir/ready" || cannot_write ready
exec 3<"$dir/start"
if ! read -r ENCBENCH_START_AT <&3 || ! read -r _ <&3; then
    echo 'encbench: the recorder ended before it released the tool' >&2
    exit 70
fi
exec 3<&-
export ENCBENCH_START_AT

# A signal may come before the tool does. The process that becomes timeout loses one, so there is a
# second.
child=
told=
end_tool() {
    told=1
    [ -n "$child" ] || return 0
    kill -TERM "$child"
    { sleep 1 && kill -TERM "$child"; } >/dev/null 2>&1 &
}
trap end_tool TERM INT
stamp >"$dir/began" || cannot_write began
# shellcheck disable=SC2086 # the replica's own arguments are plain words
timeout "$seconds" "$@" $own >"$dir/output.log" 2>&1 &
child=$!
[ -z "$told" ] || end_tool
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
