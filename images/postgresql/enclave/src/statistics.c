/*
 * What a session can know about its crossings, what the planner can know about ciphertext, and how
 * exactly the boundary keeps to its costs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/vacuum.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "boundary.h"
#include "sql_function.h"
#include "varlena.h"
#include "vault.h"
#include "versions.h"

#define CALIBRATION_VALUES 32
#define ROWS_PER_TARGET 300 /* as std_typanalyze has it */

SQL_FUNCTION(enclave_crossings);
SQL_FUNCTION(enclave_calibrate);
SQL_FUNCTION(enc_typanalyze);

/* The row of an OUT-parameter function. */
static Datum row(FunctionCallInfo fcinfo, Datum *values) {
    bool nulls[4] = {false};
    TupleDesc descriptor;

    if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/* Transitions and values of this process so far. */
Datum enclave_crossings(PG_FUNCTION_ARGS) {
    Datum values[2] = {Int64GetDatum(crossings.transitions), Int64GetDatum(crossings.values)};

    return row(fcinfo, values);
}

/* How long a crossing takes in which so many sealed integers are opened, in nanoseconds. What it
 * lasts longer because the process was away is none of its cost. */
static uint64 crossing_of(int values, Value sealed) {
    uint64 away = boundary_away;
    uint64 start = boundary_clock();
    uint64 began = boundary_enter();
    uint8 plain[INT4_SIZE];
    bool good = true;

    for (int i = 0; i < values; i++)
        good = vault_open(KIND_INT4, sealed, plain) && good;
    boundary_leave(began, values);
    if (!good)
        refuse_value();
    return boundary_clock() - start - (boundary_away - away);
}

static int by_size(const void *left, const void *right) {
    uint64 a = *(const uint64 *) left;
    uint64 b = *(const uint64 *) right;

    return (a > b) - (a < b);
}

static double median(uint64 *times, int count) {
    qsort(times, count, sizeof(uint64), by_size);
    return (times[(count - 1) / 2] + times[count / 2]) / 2.0;
}

/*
 * Costs as set, and as measured on this machine now: medians of so many crossings without a value,
 * and with many. The cost of a value is never less than its cryptography.
 */
Datum enclave_calibrate(PG_FUNCTION_ARGS) {
    int rounds = PG_GETARG_INT32(0);
    uint8 envelope[ENC_INT4_SIZE];
    Value sealed = {envelope, ENC_INT4_SIZE};
    uint8 plain[INT4_SIZE] = {0};
    Crossings before = crossings;
    uint64 *empty, *full;
    double transition, value;
    Datum values[4];

    if (rounds < 1 || rounds > 100000)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the number of rounds must be between 1 and 100000")));
    empty = palloc(rounds * sizeof(uint64));
    full = palloc(rounds * sizeof(uint64));
    boundary_leave(boundary_enter(), 0);
    if (!vault_seal(KIND_INT4, plain, INT4_SIZE, envelope))
        refuse_value();
    for (int i = 0; i < rounds; i++) {
        CHECK_FOR_INTERRUPTS();
        empty[i] = crossing_of(0, sealed);
        full[i] = crossing_of(CALIBRATION_VALUES, sealed);
    }
    crossings = before; /* these served no statement */
    transition = median(empty, rounds);
    value = (median(full, rounds) - transition) / CALIBRATION_VALUES;
    values[0] = Int32GetDatum(enclave_transition_ns);
    values[1] = Float8GetDatum(transition);
    values[2] = Int32GetDatum(enclave_value_ns);
    values[3] = Float8GetDatum(value);
    return row(fcinfo, values);
}

/* What ciphertext shows without the key: how much is NULL, how wide it is, and that no two values
 * are the same. ANALYZE would otherwise sort a sample, which crosses the boundary each time. */
static void compute_shape(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int rows,
                          double total_rows pg_attribute_unused()) {
    double width = 0;
    int present = 0;

    for (int i = 0; i < rows; i++) {
        bool is_null;
        Datum value = fetch(stats, i, &is_null);

        if (is_null)
            continue;
        present++;
        width += stats->attrtype->typlen > 0 ? stats->attrtype->typlen
                                             : (int64) VARSIZE_ANY(DatumGetPointer(value));
    }
    if (rows == 0)
        return;
    stats->stats_valid = true;
    stats->stanullfrac = (float4) (rows - present) / rows;
    stats->stawidth = present > 0 ? (int32) (width / present) : 0;
    stats->stadistinct = present > 0 ? -(float4) present / rows : 0;
}

/* It wants as many rows as of a plain column: ANALYZE runs in measured windows, too, and must read
 * as much of an encrypted table as of a plain one. */
Datum enc_typanalyze(PG_FUNCTION_ARGS) {
    VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
    int target = statistics_target(stats);

    stats->compute_stats = compute_shape;
    stats->minrows = ROWS_PER_TARGET * (target < 0 ? default_statistics_target : target);
    PG_RETURN_BOOL(true);
}
