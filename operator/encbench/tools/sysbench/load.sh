#!/bin/sh
# Loads a dataset from nothing: load.sh COMMAND..., where COMMAND wants only cleanup or prepare.
# What an engine needs after that is appended (jobs.py).
# sysbench returns 0 when threads of a parallel prepare fail, so its FATAL lines count as well.
set -u

# A script may leave its last line unfinished: what sysbench and this file write then follows on it.
step() {
    { "$@" 2>&1; printf 'encbench: exit code %s\n' "$?"; } | {
        fatal=0
        code=1
        while IFS= read -r line; do
            case $line in
            *'encbench: exit code '*)
                code=${line##* }
                line=${line%'encbench: exit code '*}
                [ -n "$line" ] || continue
                ;;
            esac
            case $line in *FATAL:*) fatal=1 ;; esac
            printf '%s\n' "$line"
        done
        [ "$fatal" -eq 0 ] || [ "$code" -ne 0 ] || code=1
        exit "$code"
    }
}

# A script need not define cleanup, and there may be nothing to clean up: prepare will tell.
step "$@" cleanup || printf 'encbench: cleanup did not succeed, going on to prepare\n'
step "$@" prepare || exit
