/* enc_text: an encrypted text, 32 bytes longer than the text. */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "envelope.h"
#include "sql_function.h"
#include "varlena.h"

SQL_FUNCTION(enc_text_in);
SQL_FUNCTION(enc_text_out);
SQL_FUNCTION(enc_text_recv);
SQL_FUNCTION(enc_text_send);

Datum enc_text_in(PG_FUNCTION_ARGS) {
    size_t size;
    uint8 *made = envelope_decoded(KIND_TEXT, "enc_text", PG_GETARG_CSTRING(0), VARHDRSZ, &size);

    SET_VARSIZE(made, VARHDRSZ + size);
    PG_RETURN_POINTER(made);
}

Datum enc_text_out(PG_FUNCTION_ARGS) {
    struct varlena *stored = PG_GETARG_VARLENA_PP(0);

    PG_RETURN_CSTRING(
        envelope_encoded((Value){(const uint8 *) VARDATA_ANY(stored), VARSIZE_ANY_EXHDR(stored)}));
}

Datum enc_text_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
    int size = message->len - message->cursor;
    uint8 *made = palloc(VARHDRSZ + size);

    pq_copymsgbytes(message, (char *) made + VARHDRSZ, size);
    envelope_check(KIND_TEXT, "enc_text", (Value){made + VARHDRSZ, size},
                   ERRCODE_INVALID_BINARY_REPRESENTATION);
    SET_VARSIZE(made, VARHDRSZ + size);
    PG_RETURN_POINTER(made);
}

Datum enc_text_send(PG_FUNCTION_ARGS) {
    struct varlena *stored = PG_GETARG_VARLENA_PP(0);
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendbytes(&message, VARDATA_ANY(stored), (int) VARSIZE_ANY_EXHDR(stored));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}
