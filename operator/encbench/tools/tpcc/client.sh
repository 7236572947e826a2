#!/bin/sh
# Runs a TPC-C client of BenchmarkSQL's contract: client.sh KIND ACTION [NAME=VALUE...]
#   KIND    own (encbench's own client, the program tpcc), 5 or 6 (BenchmarkSQL of that version)
#   ACTION  load or run; after a load our own client checks the tables if $ENCBENCH_CHECK is set
# NAME=VALUE are properties beside those in $ENCBENCH_PROPS, the text of the props file. Who logs in
# is read from files and put into the props file here, in an emptyDir in memory, for BenchmarkSQL
# takes the password from nowhere else. It needs of the image what the client itself needs, and sh,
# cp, ln, rm, mkdir, chmod, sed, grep, tr, dirname and id.
set -eu
umask 077

kind=$1
action=$2
shift 2
scratch=${ENCBENCH_SCRATCH:-/tmp}/encbench
credentials=${ENCBENCH_CREDENTIALS:-/etc/encbench/credentials}
props=$scratch/props
mkdir -p "$scratch"

# A line of a file as a value of java.util.Properties.
value() {
    sed -e 's/\\/\\\\/g' -e 's/^ /\\ /' "$credentials/$1"
}

# BenchmarkSQL has Java read the props file as ISO-8859-1, and Secrets have UTF-8.
if [ "$kind" != own ] && LC_ALL=C grep -q '[^ -~]' "$credentials/username" "$credentials/password"; then
    echo 'encbench: BenchmarkSQL reads names and passwords of ASCII letters only: choose another login' >&2
    exit 2
fi

# The URL of a driver of the user's own, with the key where its template has {mek}. The key is read by
# sed from a file, for arguments of programs are there for everybody to see. BenchmarkSQL prints its
# URL, so that the operator admits no {mek} there.
url() {
    case $ENCBENCH_URL in
    *'{mek}'*)
        { printf 's/{mek}/' && tr -d '\r\n' <"$ENCBENCH_MEK_FILE" && printf '/g\n'; } >"$scratch/mek.sed"
        printf '%s\n' "$ENCBENCH_URL" | sed -f "$scratch/mek.sed"
        rm -f "$scratch/mek.sed"
        ;;
    *) printf '%s\n' "$ENCBENCH_URL" ;;
    esac
}

{
    printf '%s\n' "$ENCBENCH_PROPS"
    for pair in "$@"; do
        printf '%s\n' "$pair"
    done
    if [ -n "${ENCBENCH_URL:-}" ] && [ "$kind" = own ]; then
        url >"$scratch/url"
        printf 'connFile=%s\n' "$scratch/url"
    elif [ -n "${ENCBENCH_URL:-}" ]; then
        printf 'conn=%s\n' "$(printf '%s\n' "$ENCBENCH_URL" | sed -e 's/\\/\\\\/g')"
    fi
    printf 'user=%s\n' "$(value username)"
    if [ "$kind" = own ]; then
        printf 'passwordFile=%s\n' "$credentials/password"
    else
        printf 'password=%s\n' "$(value password)"
    fi
} >"$props"

if [ "$kind" = own ]; then
    if [ "$action" = load ] && [ -n "${ENCBENCH_CHECK:-}" ]; then
        tpcc load --props "$props"
        exec tpcc check --props "$props"
    fi
    exec tpcc "$action" --props "$props"
fi

# BenchmarkSQL writes into its run folder, which an image's read-only root does not let it.
home=$ENCBENCH_BENCHMARKSQL
folder=$home/run
while [ "$folder" != / ] && [ ! -e "$folder" ]; do
    folder=$(dirname "$folder")
done
if [ -d "$folder" ] && { [ ! -r "$folder" ] || [ ! -x "$folder" ]; }; then
    echo "encbench: user $(id -u) may not read $folder in the image: rebuild it with chmod -R a+rX" >&2
    exit 2
fi
if [ ! -f "$home/run/runBenchmark.sh" ]; then
    echo "encbench: the image has no $home/run/runBenchmark.sh: write its folder into tpcc.benchmarksql.home" >&2
    exit 2
fi
mkdir -p "$scratch/benchmarksql"
for entry in "$home"/*; do
    [ "${entry##*/}" = run ] || ln -s -f -n "$entry" "$scratch/benchmarksql/${entry##*/}"
done
cp -R "$home/run" "$scratch/benchmarksql/"
# Its scripts look for jars of any database in lib.
if [ -n "${TPCC_DRIVERS:-}" ]; then
    rm -f "$scratch/benchmarksql/lib"
    mkdir -p "$scratch/benchmarksql/lib"
    ln -s -f "$home/lib"/* "$TPCC_DRIVERS"/*.jar "$scratch/benchmarksql/lib/"
fi
chmod -R u+w "$scratch/benchmarksql/run"
cd "$scratch/benchmarksql/run"
# By default a JVM takes a quarter of the memory, and one older than 8u372 or 11.0.16 a quarter of the
# node's, because it sees no limit of cgroup v2. The last -Xmx counts: the image's own, if it has one.
# PostgreSQL's and MariaDB's drivers try only the first address of a name, which is IPv4 by Java's
# default even in a pod without IPv4. Java 8 does not know the value system and keeps its default.
options="-Xmx${ENCBENCH_HEAP_MIB}m -Djava.net.preferIPv6Addresses=system"
export JAVA_TOOL_OPTIONS="$options${JAVA_TOOL_OPTIONS:+ $JAVA_TOOL_OPTIONS}"

if [ "$action" = load ]; then
    # Nothing may be there yet. Whether all is there afterwards the operator looks up itself, for the
    # scripts end with 0 whatever failed in them.
    ./runDatabaseDestroy.sh "$props" >/dev/null 2>&1 || true
    ./runDatabaseBuild.sh "$props"
    exit
fi

./runBenchmark.sh "$props" && code=0 || code=$?
# Some versions of the script end with 0 however the program ended.
if ! grep -q -i -E 'Measured tpmTOTAL|result, Overall TPM' "${ENCBENCH_RUN_DIR:-/run/encbench}/output.log"; then
    echo 'encbench: BenchmarkSQL ended without its final report' >&2
    exit $((code == 0 ? 3 : code))
fi
if [ -f "$scratch/results/data/histogram.csv" ]; then
    sed -n -e '/,0$/d' -e '/^[A-Z_]*,/s/^/encbench-histogram /p' "$scratch/results/data/histogram.csv"
fi
exit "$code"
