#include "postgres.h"

#include "fmgr.h"

#include "order.h"
#include "varlena.h"

Located locate(Kind kind, void *stored) {
    struct varlena *whole;

    if (kind == KIND_INT4)
        return (Located){{stored, ENC_INT4_SIZE}, NULL};
    whole = pg_detoast_datum_packed(stored);
    return (Located){{(const uint8 *) VARDATA_ANY(whole), VARSIZE_ANY_EXHDR(whole)},
                     whole == stored ? NULL : whole};
}

void located_drop(Located located) {
    if (located.copy != NULL)
        pfree(located.copy);
}

bool order_open(Kind kind, Value value, bool again, Opened *opened) {
    opened->size = value.size > ENVELOPE_OVERHEAD ? value.size - ENVELOPE_OVERHEAD : 0;
    opened->plain = opened->size > sizeof(opened->room) ? palloc(opened->size) : opened->room;
    return again ? vault_open_again(kind, value, opened->plain)
                 : vault_open(kind, value, opened->plain);
}

void order_close(Opened *opened) {
    if (opened->plain != opened->room)
        pfree(opened->plain);
}

int order_of(Kind kind, const Opened *left, const Opened *right) {
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
