#include "postgres.h"

#include "common/base64.h"

#include "envelope.h"

#if PG_VERSION_NUM >= 180000
#define BASE64_BYTES(pointer) (pointer)
#else
#define BASE64_BYTES(pointer) ((char *) (pointer))
#endif

/* What is wrong with the form of a value that does not fit. */
static const char *problem(Value value) {
    uint8 header[HEADER_SIZE];

    if (value.size < ENVELOPE_OVERHEAD)
        return "It is shorter than an empty encrypted value.";
    envelope_header(KIND_INT4, header);
    if (memcmp(value.bytes, header, HEADER_SIZE) == 0 && value.size != ENC_INT4_SIZE)
        return "An encrypted integer has 36 bytes.";
    return "Its header is that of another type, version or algorithm, or of none.";
}

void envelope_check(Kind kind, const char *type, Value value, int code) {
    if (!envelope_fits(kind, value))
        ereport(ERROR, (errcode(code), errmsg("this is not a value of type %s", type),
                        errdetail("%s", problem(value))));
}

uint8 *envelope_decoded(Kind kind, const char *type, const char *text, size_t before,
                        size_t *size) {
    int length = (int) strlen(text);
    int room = pg_b64_dec_len(length);
    uint8 *made = palloc(before + room);
    int decoded = pg_b64_decode(text, length, BASE64_BYTES(made + before), room);

    if (decoded < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("this is not a value of type %s", type),
                        errdetail("It is not base64 of an encrypted value."),
                        errhint("Encrypt values at the client; the server has no function that "
                                "does it.")));
    envelope_check(kind, type, (Value){made + before, decoded},
                   ERRCODE_INVALID_TEXT_REPRESENTATION);
    *size = decoded;
    return made;
}

char *envelope_encoded(Value value) {
    int room = pg_b64_enc_len((int) value.size);
    char *text = palloc(room + 1);
    int length = pg_b64_encode(BASE64_BYTES(value.bytes), (int) value.size, text, room);

    if (length < 0)
        elog(ERROR, "base64 text does not fit");
    text[length] = '\0';
    return text;
}
