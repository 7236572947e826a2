#include "postgres.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/modes.h>

#include "miscadmin.h"

#include "int4_hash.h"
#include "key.h"
#include "vault.h"

/*
 * GCM by libcrypto's mode of that name over libcrypto's AES. It opens a sealed integer in a third
 * of the time that libcrypto's cipher of both takes (88 ns instead of 283 ns with OpenSSL 3.0),
 * which sets up parameters anew for each value. Integers, of which an index search opens a score,
 * take a third of that again: AES of two blocks in one call, and hashes by table.
 */
static EVP_CIPHER_CTX *aes;
static GCM128_CONTEXT *gcm;
bool vault_has_key;
static Int4Hashes hashes;

#define BLOCK_SIZE 16
#define BLOCKS_AT_ONCE 8

/* A nonce is random bytes of this process, and a counter. */
#define RANDOM_SIZE 8
static struct {
    int process;
    uint8 random[RANDOM_SIZE];
    uint32 next;
} nonces;

Kept vault_kept;

/* It cannot fail: there is a key, and these are whole blocks. */
static void encrypt_blocks(const uint8 *in, uint8 *out, int blocks, const void *cipher) {
    int done;

    EVP_EncryptUpdate(unconstify(void *, cipher), out, &done, in, blocks * BLOCK_SIZE);
}

static void encrypt_block(const uint8 in[BLOCK_SIZE], uint8 out[BLOCK_SIZE], const void *cipher) {
    encrypt_blocks(in, out, 1, cipher);
}

/* Counter mode over whole blocks, some at once; the counter is the last four bytes. */
static void count_blocks(const uint8 *in, uint8 *out, size_t blocks, const void *cipher,
                         const uint8 counter[BLOCK_SIZE]) {
    uint8 stream[BLOCKS_AT_ONCE * BLOCK_SIZE];
    uint32 next = (uint32) int4_of(counter + 12);

    while (blocks > 0) {
        int now = (int) Min(blocks, BLOCKS_AT_ONCE);

        for (int i = 0; i < now; i++) {
            memcpy(stream + i * BLOCK_SIZE, counter, 12);
            int4_to((int32) next++, stream + i * BLOCK_SIZE + 12);
        }
        encrypt_blocks(stream, stream, now, cipher);
        for (int i = 0; i < now * BLOCK_SIZE; i++)
            *out++ = *in++ ^ stream[i];
        blocks -= now;
    }
}

void vault_forget(void) {
    CRYPTO_gcm128_release(gcm);
    EVP_CIPHER_CTX_free(aes);
    gcm = NULL;
    aes = NULL;
    vault_has_key = false;
    OPENSSL_cleanse(&vault_kept, sizeof(vault_kept));
    OPENSSL_cleanse(&hashes, sizeof(hashes));
}

/* What masks a tag, and what masks the first block of the text, under that nonce. */
static void int4_masks(const uint8 *nonce, Block masks[2]) {
    for (int i = 0; i < 2; i++) {
        uint8 *block = (uint8 *) &masks[i];

        memcpy(block, nonce, NONCE_SIZE);
        int4_to(i + 1, block + NONCE_SIZE);
    }
    encrypt_blocks((uint8 *) masks, (uint8 *) masks, 2, aes);
}

static bool fill_hashes(void) {
    uint8 nonce[NONCE_SIZE] = {0};
    Block masks[2];

    int4_masks(nonce, masks);
    return int4_hashes_fill(&hashes, gcm, masks[0]);
}

void vault_take_key(const char *key_file) {
    uint8 key[KEY_SIZE];

    key_read(key_file, key);
    aes = EVP_CIPHER_CTX_new();
    if (aes != NULL && EVP_EncryptInit_ex(aes, EVP_aes_128_ecb(), NULL, key, NULL) == 1)
        gcm = CRYPTO_gcm128_new(aes, encrypt_block);
    OPENSSL_cleanse(key, sizeof(key));
    if (gcm == NULL || !fill_hashes()) {
        vault_forget();
        ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
                        errmsg("libcrypto cannot set up AES-128-GCM")));
    }
    vault_has_key = true;
}

static uint32 word_at(const void *place) {
    uint32 word;

    memcpy(&word, place, sizeof(word));
    return word;
}

static bool open_int4(const uint8 *nonce, uint8 *plain) {
    uint32 sealed = word_at(nonce + NONCE_SIZE);
    uint32 opened;
    Block masks[2], wrong;

    int4_masks(nonce, masks);
    opened = sealed ^ word_at(&masks[1]);
    memcpy(plain, &opened, INT4_SIZE);
    memcpy(&wrong, nonce + NONCE_SIZE + INT4_SIZE, TAG_SIZE);
    wrong ^= masks[0] ^ int4_hash(&hashes, sealed);
    return (wrong[0] | wrong[1]) == 0;
}

static void seal_int4(const uint8 *plain, uint8 *nonce) {
    uint32 sealed;
    Block masks[2], tag;

    int4_masks(nonce, masks);
    sealed = word_at(plain) ^ word_at(&masks[1]);
    tag = masks[0] ^ int4_hash(&hashes, sealed);
    memcpy(nonce + NONCE_SIZE, &sealed, INT4_SIZE);
    memcpy(nonce + NONCE_SIZE + INT4_SIZE, &tag, TAG_SIZE);
}

bool vault_open(Kind kind, Value value, uint8 *plain) {
    const uint8 *nonce = value.bytes + HEADER_SIZE;
    const uint8 *sealed = nonce + NONCE_SIZE;
    size_t size = value.size - ENVELOPE_OVERHEAD;

    if (!envelope_fits(kind, value))
        return false;
    if (kind == KIND_INT4)
        return open_int4(nonce, plain);
    CRYPTO_gcm128_setiv(gcm, nonce, NONCE_SIZE);
    return CRYPTO_gcm128_aad(gcm, value.bytes, HEADER_SIZE) == 0 &&
           CRYPTO_gcm128_decrypt_ctr32(gcm, sealed, plain, size, count_blocks) == 0 &&
           CRYPTO_gcm128_finish(gcm, sealed + size, TAG_SIZE) == 0;
}

bool vault_open_and_keep(Kind kind, Value value, uint8 *plain) {
    if (!vault_open(kind, value, plain))
        return false;
    if (value.size <= sizeof(vault_kept.envelope)) {
        vault_kept.size = value.size;
        memcpy(vault_kept.envelope, value.bytes, value.size);
        memcpy(vault_kept.plain, plain, value.size - ENVELOPE_OVERHEAD);
    }
    return true;
}

/* A nonce that no value has had. */
static bool new_nonce(uint8 *nonce) {
    if (nonces.process != MyProcPid || nonces.next == UINT32_MAX) {
        if (!pg_strong_random(nonces.random, RANDOM_SIZE))
            return false;
        nonces.process = MyProcPid;
        nonces.next = 0;
    }
    memcpy(nonce, nonces.random, RANDOM_SIZE);
    int4_to((int32) nonces.next++, nonce + RANDOM_SIZE);
    return true;
}

bool vault_seal(Kind kind, const uint8 *plain, size_t size, uint8 *envelope) {
    uint8 *nonce = envelope + HEADER_SIZE;
    uint8 *sealed = nonce + NONCE_SIZE;

    if (!new_nonce(nonce))
        return false;
    envelope_header(kind, envelope);
    if (kind == KIND_INT4) {
        seal_int4(plain, nonce);
        return true;
    }
    CRYPTO_gcm128_setiv(gcm, nonce, NONCE_SIZE);
    if (CRYPTO_gcm128_aad(gcm, envelope, HEADER_SIZE) != 0 ||
        CRYPTO_gcm128_encrypt_ctr32(gcm, plain, sealed, size, count_blocks) != 0)
        return false;
    CRYPTO_gcm128_tag(gcm, sealed + size, TAG_SIZE);
    return true;
}
