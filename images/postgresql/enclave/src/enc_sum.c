/*
 * sum(enc_int4). Values are gathered where they are, outside, and go in together: one crossing for
 * SUM_BATCH of them, not one a row. The running total never comes out in plaintext: `inside` stands
 * for the enclave's own memory, and a parallel worker hands its share on sealed.
 */
#include "postgres.h"

#include "boundary.h"
#include "sql_function.h"
#include "varlena.h"
#include "vault.h"

#define SUM_BATCH 256
#define SHARE_SIZE 16

typedef struct Sum {
    struct {
        int64 total;
        int64 count;
    } inside;
    int waiting;
    uint8 values[SUM_BATCH][ENC_INT4_SIZE];
} Sum;

SQL_FUNCTION(enc_sum_add);
SQL_FUNCTION(enc_sum_combine);
SQL_FUNCTION(enc_sum_serialize);
SQL_FUNCTION(enc_sum_deserialize);
SQL_FUNCTION(enc_sum_final);

/* The memory that lives as long as the aggregate; an ERROR outside one. */
static MemoryContext lasting(FunctionCallInfo fcinfo) {
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "called outside an aggregate");
    return context;
}

static Sum *new_sum(MemoryContext context) {
    Sum *made = MemoryContextAlloc(context, sizeof(Sum));

    made->inside.total = made->inside.count = 0;
    made->waiting = 0;
    return made;
}

/* Add what waits, behind the boundary. False if the key does not open some value. */
static bool add_waiting(Sum *sum) {
    bool good = true;

    for (int i = 0; i < sum->waiting; i++) {
        uint8 plain[INT4_SIZE] = {0};

        good = vault_open(KIND_INT4, (Value){sum->values[i], ENC_INT4_SIZE}, plain) && good;
        sum->inside.total += int4_of(plain);
    }
    sum->inside.count += sum->waiting;
    sum->waiting = 0;
    return good;
}

/* Add what waits, and nothing else. */
static void flush(Sum *sum) {
    int values = sum->waiting;
    uint64 began;
    bool good;

    if (values == 0)
        return;
    began = boundary_enter();
    good = add_waiting(sum);
    boundary_leave(began, values);
    if (!good)
        refuse_value();
}

Datum enc_sum_add(PG_FUNCTION_ARGS) {
    Sum *sum = PG_ARGISNULL(0) ? new_sum(lasting(fcinfo)) : (Sum *) PG_GETARG_POINTER(0);

    if (!PG_ARGISNULL(1)) {
        if (sum->waiting == SUM_BATCH)
            flush(sum);
        memcpy(sum->values[sum->waiting++], PG_GETARG_POINTER(1), ENC_INT4_SIZE);
    }
    PG_RETURN_POINTER(sum);
}

/* Both shares are inside: adding them opens no value. */
Datum enc_sum_combine(PG_FUNCTION_ARGS) {
    Sum *sum = PG_ARGISNULL(0) ? new_sum(lasting(fcinfo)) : (Sum *) PG_GETARG_POINTER(0);

    if (!PG_ARGISNULL(1)) {
        Sum *other = (Sum *) PG_GETARG_POINTER(1);

        flush(other);
        sum->inside.total += other->inside.total;
        sum->inside.count += other->inside.count;
    }
    PG_RETURN_POINTER(sum);
}

static void int8_to(int64 number, uint8 *plain) {
    int4_to((int32) ((uint64) number >> 32), plain);
    int4_to((int32) number, plain + 4);
}

static int64 int8_of(const uint8 *plain) {
    return (int64) ((uint64) (uint32) int4_of(plain) << 32 | (uint32) int4_of(plain + 4));
}

Datum enc_sum_serialize(PG_FUNCTION_ARGS) {
    Sum *sum = (Sum *) PG_GETARG_POINTER(0);
    bytea *share = palloc(VARHDRSZ + ENVELOPE_OVERHEAD + SHARE_SIZE);
    uint8 plain[SHARE_SIZE];
    int values = sum->waiting + 1;
    uint64 began = boundary_enter();
    bool good = add_waiting(sum);

    int8_to(sum->inside.total, plain);
    int8_to(sum->inside.count, plain + 8);
    good = vault_seal(KIND_SUM, plain, SHARE_SIZE, (uint8 *) VARDATA(share)) && good;
    boundary_leave(began, values);
    if (!good)
        refuse_value();
    SET_VARSIZE(share, VARHDRSZ + ENVELOPE_OVERHEAD + SHARE_SIZE);
    PG_RETURN_BYTEA_P(share);
}

/* A worker's share. It is added to another sum at once, so it takes memory that goes soon. */
Datum enc_sum_deserialize(PG_FUNCTION_ARGS) {
    bytea *share = PG_GETARG_BYTEA_PP(0);
    Value sealed = {(const uint8 *) VARDATA_ANY(share), VARSIZE_ANY_EXHDR(share)};
    uint8 plain[SHARE_SIZE];
    uint64 began;
    bool good;
    Sum *sum;

    (void) lasting(fcinfo);
    if (sealed.size != ENVELOPE_OVERHEAD + SHARE_SIZE)
        refuse_value();
    began = boundary_enter();
    good = vault_open(KIND_SUM, sealed, plain);
    boundary_leave(began, 1);
    if (!good)
        refuse_value();
    sum = new_sum(CurrentMemoryContext);
    sum->inside.total = int8_of(plain);
    sum->inside.count = int8_of(plain + 8);
    PG_RETURN_POINTER(sum);
}

/* The total, sealed once, in the crossing that adds what waits; NULL for no values. A window asks
 * for it between rows, which changes nothing that it could notice. */
Datum enc_sum_final(PG_FUNCTION_ARGS) {
    Sum *sum = PG_ARGISNULL(0) ? NULL : (Sum *) PG_GETARG_POINTER(0);
    uint8 plain[INT4_SIZE];
    uint8 *made;
    uint64 began;
    int values;
    bool good, fits;

    if (sum == NULL || sum->inside.count + sum->waiting == 0)
        PG_RETURN_NULL();
    made = palloc(ENC_INT4_SIZE);
    values = sum->waiting + 1;
    began = boundary_enter();
    good = add_waiting(sum);
    fits = sum->inside.total >= PG_INT32_MIN && sum->inside.total <= PG_INT32_MAX;
    int4_to((int32) sum->inside.total, plain);
    good = good && vault_seal(KIND_INT4, plain, INT4_SIZE, made);
    boundary_leave(began, values);
    if (!good)
        refuse_value();
    if (!fits)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("the sum is out of the range of an encrypted integer")));
    PG_RETURN_POINTER(made);
}
