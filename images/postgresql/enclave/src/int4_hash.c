#include "postgres.h"

#include "int4_hash.h"

/* The hash of a ciphertext, by libcrypto: the tag under a nonce of zeros without its mask. */
static bool hash_of(GCM128_CONTEXT *gcm, Block mask, uint32 sealed, Block *hash) {
    uint8 nonce[NONCE_SIZE] = {0}, header[HEADER_SIZE], plain[INT4_SIZE];

    envelope_header(KIND_INT4, header);
    CRYPTO_gcm128_setiv(gcm, nonce, NONCE_SIZE);
    if (CRYPTO_gcm128_aad(gcm, header, HEADER_SIZE) != 0 ||
        CRYPTO_gcm128_decrypt(gcm, (const uint8 *) &sealed, plain, INT4_SIZE) != 0)
        return false;
    CRYPTO_gcm128_tag(gcm, (uint8 *) hash, TAG_SIZE);
    *hash ^= mask;
    return true;
}

bool int4_hashes_fill(Int4Hashes *hashes, GCM128_CONTEXT *gcm, Block mask) {
    if (!hash_of(gcm, mask, 0, &hashes->of_zero))
        return false;
    for (int i = 0; i < HALF_BYTES; i++) {
        for (uint32 value = 0; value < 16; value++) {
            if (!hash_of(gcm, mask, value << 4 * i, &hashes->difference[i][value]))
                return false;
            hashes->difference[i][value] ^= hashes->of_zero;
        }
    }
    return true;
}
