/* The order of encrypted values: that of their plaintexts, behind the boundary. */
#ifndef ORDER_H
#define ORDER_H

#include "vault.h"

/* A stored value where it lies, or a copy that is neither compressed nor elsewhere. */
typedef struct Located {
    Value value;
    void *copy;
} Located;

extern Located locate(Kind kind, void *stored);

extern void located_drop(Located located);

/* A value that is open. Short ones need no allocation. */
typedef struct Opened {
    size_t size;
    uint8 *plain;
    uint8 room[256];
} Opened;

/* Open it; false if the key does not. To be closed in either case. `again` says that it is likely
 * to be the one of the last time. */
extern bool order_open(Kind kind, Value value, bool again, Opened *opened);

extern void order_close(Opened *opened);

/* Less than, equal to or greater than 0, as memcmp. Texts are compared by their bytes, as under the
 * collation "C". */
extern int order_of(Kind kind, const Opened *left, const Opened *right);

#endif
