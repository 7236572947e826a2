/*
 * What happens inside the enclave that this module simulates: opening and sealing with the key,
 * AES-128-GCM by OpenSSL's libcrypto. The cryptography is real; the enclave is not: the key is in
 * the memory of the server's processes.
 *
 * Nothing here raises an error but a key that cannot be loaded, which vault_ready does outside.
 */
#ifndef VAULT_H
#define VAULT_H

#include "envelope.h"

/* Whether the key is there. */
extern bool vault_has_key;

/* Have the key of that file. An ERROR if it cannot be read. */
extern void vault_take_key(const char *key_file);

/* The same, unless it is there. */
static inline void vault_ready(const char *key_file) {
    if (unlikely(!vault_has_key))
        vault_take_key(key_file);
}

/* Forget the key; the next use reads it anew. */
extern void vault_forget(void);

/* Open a value into `plain`, which has room for value.size - ENVELOPE_OVERHEAD bytes. False if the
 * form is wrong, or the key does not open it. */
extern bool vault_open(Kind kind, Value value, uint8 *plain);

/* The value that stays open inside. */
#define KEPT_SIZE 128
typedef struct Kept {
    size_t size; /* of the envelope; 0 for none */
    uint8 envelope[ENVELOPE_OVERHEAD + KEPT_SIZE];
    uint8 plain[KEPT_SIZE];
} Kept;

extern Kept vault_kept;

/* Open a value and keep it open, if it is short. */
extern bool vault_open_and_keep(Kind kind, Value value, uint8 *plain);

/* The same, for a value that is likely to be the one of the last time, such as the key of an index
 * search. */
static inline bool vault_open_again(Kind kind, Value value, uint8 *plain) {
    if (!envelope_fits(kind, value))
        return false;
    if (value.size != vault_kept.size || memcmp(value.bytes, vault_kept.envelope, value.size) != 0)
        return vault_open_and_keep(kind, value, plain);
    memcpy(plain, vault_kept.plain, value.size - ENVELOPE_OVERHEAD);
    return true;
}

/* Seal `size` bytes into `envelope`, which has room for ENVELOPE_OVERHEAD more. False if libcrypto
 * cannot. No two values have the same nonce. */
extern bool vault_seal(Kind kind, const uint8 *plain, size_t size, uint8 *envelope);

static inline int32 int4_of(const uint8 *plain) {
    return (int32) ((uint32) plain[0] << 24 | (uint32) plain[1] << 16 | (uint32) plain[2] << 8 |
                    plain[3]);
}

static inline void int4_to(int32 number, uint8 *plain) {
    for (int i = 0; i < 4; i++)
        plain[i] = (uint8) ((uint32) number >> (24 - 8 * i));
}

#endif
