/*
 * The form of an encrypted value, the same in tables, indexes, the log and on the wire:
 *
 *     header (4) | nonce (12) | ciphertext, as long as the plaintext | tag (16)
 *
 * The header is authenticated (AAD) and says what is inside, so that a sealed text cannot pass as a
 * sealed integer. An integer's plaintext is its four bytes, the most significant first; a text's
 * are its own.
 */
#ifndef ENVELOPE_H
#define ENVELOPE_H

#define HEADER_SIZE 4
#define NONCE_SIZE 12
#define TAG_SIZE 16
#define ENVELOPE_OVERHEAD (HEADER_SIZE + NONCE_SIZE + TAG_SIZE)

#define INT4_SIZE ((size_t) 4)
#define ENC_INT4_SIZE (ENVELOPE_OVERHEAD + 4)

/* The header's last byte. */
typedef enum Kind {
    KIND_INT4 = 1,
    KIND_TEXT = 2,
    KIND_SUM = 3 /* what a parallel worker hands to its leader; never stored */
} Kind;

/* Bytes that lie where they lie: a value as it stands in a tuple. */
typedef struct Value {
    const uint8 *bytes;
    size_t size;
} Value;

#define MAGIC 0xEC
#define VERSION 1
#define AES_128_GCM 1

/* Write the header of that kind of value: HEADER_SIZE bytes. */
static inline void envelope_header(Kind kind, uint8 *header) {
    header[0] = MAGIC;
    header[1] = VERSION;
    header[2] = AES_128_GCM;
    header[3] = (uint8) kind;
}

/* Whether the form of it is right. Whether it is authentic only the key can tell. */
static inline bool envelope_fits(Kind kind, Value value) {
    return value.size >= ENVELOPE_OVERHEAD && value.bytes[0] == MAGIC &&
           value.bytes[1] == VERSION && value.bytes[2] == AES_128_GCM &&
           value.bytes[3] == (uint8) kind && (kind != KIND_INT4 || value.size == ENC_INT4_SIZE);
}

/* The envelope that a base64 text stands for, in a new allocation that starts with `before` unused
 * bytes; an ERROR names `type` and what is wrong, and never repeats the text. */
extern uint8 *envelope_decoded(Kind kind, const char *type, const char *text, size_t before,
                               size_t *size);

/* Its base64 text, in a new allocation. */
extern char *envelope_encoded(Value value);

/* An ERROR of that code, unless the form is right. */
extern void envelope_check(Kind kind, const char *type, Value value, int code);

#endif
