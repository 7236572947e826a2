/* What a client does, for tests: see the Makefile. */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "sql_function.h"
#include "varlena.h"
#include "vault.h"

PG_MODULE_MAGIC;

SQL_FUNCTION(seal_int4);
SQL_FUNCTION(seal_text);
SQL_FUNCTION(open_int4);
SQL_FUNCTION(open_text);

static void ready(void) {
    vault_ready(GetConfigOption("encbench_enclave.key_file", true, false));
}

static void check(bool good) {
    if (!good)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the client cannot open this")));
}

Datum seal_int4(PG_FUNCTION_ARGS) {
    uint8 *made = palloc(ENC_INT4_SIZE);
    uint8 plain[INT4_SIZE];

    ready();
    int4_to(PG_GETARG_INT32(0), plain);
    check(vault_seal(KIND_INT4, plain, INT4_SIZE, made));
    PG_RETURN_POINTER(made);
}

Datum open_int4(PG_FUNCTION_ARGS) {
    uint8 plain[INT4_SIZE];

    ready();
    check(vault_open(KIND_INT4, (Value){(uint8 *) PG_GETARG_POINTER(0), ENC_INT4_SIZE}, plain));
    PG_RETURN_INT32(int4_of(plain));
}

Datum seal_text(PG_FUNCTION_ARGS) {
    text *plain = PG_GETARG_TEXT_PP(0);
    size_t size = VARSIZE_ANY_EXHDR(plain);
    uint8 *made = palloc(VARHDRSZ + ENVELOPE_OVERHEAD + size);

    ready();
    check(vault_seal(KIND_TEXT, (const uint8 *) VARDATA_ANY(plain), size, made + VARHDRSZ));
    SET_VARSIZE(made, VARHDRSZ + ENVELOPE_OVERHEAD + size);
    PG_RETURN_POINTER(made);
}

Datum open_text(PG_FUNCTION_ARGS) {
    struct varlena *stored = PG_GETARG_VARLENA_PP(0);
    Value value = {(const uint8 *) VARDATA_ANY(stored), VARSIZE_ANY_EXHDR(stored)};
    text *made;

    ready();
    check(value.size >= ENVELOPE_OVERHEAD);
    made = palloc(VARHDRSZ + value.size - ENVELOPE_OVERHEAD);
    check(vault_open(KIND_TEXT, value, (uint8 *) VARDATA(made)));
    SET_VARSIZE(made, VARHDRSZ + value.size - ENVELOPE_OVERHEAD);
    PG_RETURN_TEXT_P(made);
}
