/*
 * The order of encrypted values: that of their plaintexts, behind the boundary.
 *
 * An index search compares a score of times. All of this is inline, so that what depends on the
 * kind and on the size of an integer is settled when it is compiled.
 */
#ifndef ORDER_H
#define ORDER_H

#include "fmgr.h"

#include "varlena.h"
#include "vault.h"

/* A stored value where it lies, or a copy that is neither compressed nor elsewhere. */
typedef struct Located {
    Value value;
    void *copy;
} Located;

static inline Located locate(Kind kind, void *stored) {
    struct varlena *whole;

    if (kind == KIND_INT4)
        return (Located){{stored, ENC_INT4_SIZE}, NULL};
    whole = pg_detoast_datum_packed(stored);
    return (Located){{(const uint8 *) VARDATA_ANY(whole), VARSIZE_ANY_EXHDR(whole)},
                     whole == stored ? NULL : whole};
}

static inline void located_drop(Located located) {
    if (located.copy != NULL)
        pfree(located.copy);
}

/* A value that is open. Short ones need no allocation. */
typedef struct Opened {
    size_t size;
    uint8 *plain;
    uint8 room[256];
} Opened;

/* Open it; false if the key does not. To be closed in either case. `again` says that it is likely
 * to be the one of the last time. */
static inline bool order_open(Kind kind, Value value, bool again, Opened *opened) {
    opened->size = value.size > ENVELOPE_OVERHEAD ? value.size - ENVELOPE_OVERHEAD : 0;
    opened->plain = opened->size > sizeof(opened->room) ? palloc(opened->size) : opened->room;
    return again ? vault_open_again(kind, value, opened->plain)
                 : vault_open(kind, value, opened->plain);
}

static inline void order_close(Opened *opened) {
    if (opened->plain != opened->room)
        pfree(opened->plain);
}

/* Less than, equal to or greater than 0, as memcmp. Texts are compared by their bytes, as under the
 * collation "C". */
static inline int order_of(Kind kind, const Opened *left, const Opened *right) {
    int order;

    if (kind == KIND_INT4) {
        int32 a = int4_of(left->plain);
        int32 b = int4_of(right->plain);

        return (a > b) - (a < b);
    }
    order = memcmp(left->plain, right->plain, Min(left->size, right->size));
    if (order == 0)
        order = (left->size > right->size) - (left->size < right->size);
    return order;
}

#endif
