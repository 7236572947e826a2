/* enc_int4: an encrypted integer, 36 bytes of a fixed length. */
#include "postgres.h"

#include "common/int.h"
#include "libpq/pqformat.h"

#include "boundary.h"
#include "sql_function.h"
#include "vault.h"

SQL_FUNCTION(enc_int4_in);
SQL_FUNCTION(enc_int4_out);
SQL_FUNCTION(enc_int4_recv);
SQL_FUNCTION(enc_int4_send);
SQL_FUNCTION(enc_int4_add);

static Value argument(FunctionCallInfo fcinfo, int number) {
    return (Value){(const uint8 *) PG_GETARG_POINTER(number), ENC_INT4_SIZE};
}

Datum enc_int4_in(PG_FUNCTION_ARGS) {
    size_t size;

    PG_RETURN_POINTER(envelope_decoded(KIND_INT4, "enc_int4", PG_GETARG_CSTRING(0), 0, &size));
}

Datum enc_int4_out(PG_FUNCTION_ARGS) {
    PG_RETURN_CSTRING(envelope_encoded(argument(fcinfo, 0)));
}

Datum enc_int4_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
    size_t size = message->len - message->cursor;
    uint8 *made = palloc(Max(size, ENC_INT4_SIZE));

    pq_copymsgbytes(message, (char *) made, (int) size);
    envelope_check(KIND_INT4, "enc_int4", (Value){made, size},
                   ERRCODE_INVALID_BINARY_REPRESENTATION);
    PG_RETURN_POINTER(made);
}

Datum enc_int4_send(PG_FUNCTION_ARGS) {
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendbytes(&message, PG_GETARG_POINTER(0), ENC_INT4_SIZE);
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* The sum of two, sealed anew: opened, added and sealed in one crossing. */
Datum enc_int4_add(PG_FUNCTION_ARGS) {
    uint8 *made = palloc(ENC_INT4_SIZE);
    uint8 left[INT4_SIZE], right[INT4_SIZE], result[INT4_SIZE];
    int32 sum = 0;
    bool overflows = false;
    uint64 began = boundary_enter();
    bool good = vault_open(KIND_INT4, argument(fcinfo, 0), left) &&
                vault_open(KIND_INT4, argument(fcinfo, 1), right);

    if (good) {
        overflows = pg_add_s32_overflow(int4_of(left), int4_of(right), &sum);
        int4_to(sum, result);
        good = vault_seal(KIND_INT4, result, INT4_SIZE, made);
    }
    boundary_leave(began, 3);
    if (!good)
        refuse_value();
    if (overflows)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("encrypted integer out of range")));
    PG_RETURN_POINTER(made);
}
