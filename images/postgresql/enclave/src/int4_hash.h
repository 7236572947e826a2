/*
 * GHASH of a sealed integer, by table.
 *
 * A tag is the hash of header and ciphertext, masked by an encrypted block. Every sealed integer
 * has the same header and four bytes of ciphertext, and the hash is linear in them. So it is the
 * hash of four zero bytes and, for each half byte, one of sixteen differences to it. libcrypto
 * computes these constants when the key comes; here they are only added, which for GHASH is XOR.
 *
 * Which ones are read depends on ciphertext alone, so their time tells nothing that the host does
 * not see.
 */
#ifndef INT4_HASH_H
#define INT4_HASH_H

#include <openssl/modes.h>

#include "envelope.h"

/* A block of the cipher as it lies in memory; ^ works on the whole of it. */
typedef uint64 Block __attribute__((vector_size(16)));

#define HALF_BYTES 8

typedef struct Int4Hashes {
    Block of_zero;
    Block difference[HALF_BYTES][16];
} Int4Hashes;

/* Compute the constants of that key. `mask` is what its tags are masked by under a nonce of zeros.
 * False if libcrypto cannot. */
extern bool int4_hashes_fill(Int4Hashes *hashes, GCM128_CONTEXT *gcm, Block mask);

/* The hash of a sealed integer with that ciphertext, as this machine reads its bytes. */
static inline Block int4_hash(const Int4Hashes *hashes, uint32 sealed) {
    Block hash = hashes->of_zero;

#pragma GCC unroll 8
    for (int i = 0; i < HALF_BYTES; i++)
        hash ^= hashes->difference[i][sealed >> 4 * i & 15];
    return hash;
}

#endif
