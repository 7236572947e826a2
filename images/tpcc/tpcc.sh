#!/bin/sh
# Starts the TPC-C client: tpcc.sh COMMAND... It looks for its jars in $TPCC_HOME/lib, beside this file
# unless that is set, and for drivers of the user's own in the folder that $TPCC_DRIVERS names.
set -eu

home=${TPCC_HOME:-$(dirname -- "$(readlink -f -- "$0")")}
# The asterisks are Java's own, for all jars of a folder.
# shellcheck disable=SC2125
classes=$home/lib/*
# shellcheck disable=SC2125
[ -z "${TPCC_DRIVERS:-}" ] || classes=$classes:$TPCC_DRIVERS/*

# docs/design/0004-tpcc.md ("Memory") says what was measured. PostgreSQL's and MariaDB's drivers try
# only the first address of a name, which is IPv4 by Java's default even in a pod without IPv4. The
# system's order heeds the pod's own addresses. $TPCC_JAVA_OPTIONS comes last and so prevails.
# shellcheck disable=SC2086 # options are plain words
exec java \
    -XX:+UseSerialGC -Xms192m -Xmx192m -Xmn48m \
    -XX:ReservedCodeCacheSize=48m -XX:MaxMetaspaceSize=96m \
    -XX:-UsePerfData -Xshare:auto \
    -Djava.net.preferIPv6Addresses=system \
    ${TPCC_JAVA_OPTIONS:-} \
    -cp "$classes" io.encbench.tpcc.Main "$@"
