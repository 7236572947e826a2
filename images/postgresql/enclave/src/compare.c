/*
 * Comparison operators, and the support functions of the operator classes. Each comparison is a
 * crossing of the boundary in which two values are opened, unless page_batch.c knows its result.
 */
#include "postgres.h"

#include "boundary.h"
#include "order.h"
#include "page_batch.h"
#include "sql_function.h"

static pg_attribute_always_inline int single(Kind kind, Value one, Value other) {
    Opened left, right;
    int order = 0;
    uint64 began = boundary_enter();
    bool good = order_open(kind, one, false, &left);

    good = order_open(kind, other, true, &right) && good;
    if (good)
        order = order_of(kind, &left, &right);
    boundary_leave(began, 2);
    order_close(&left);
    order_close(&right);
    if (!good)
        refuse_value();
    return order;
}

/* The order of the two arguments. `batches` says to look for the first in the index page that it
 * may lie in. */
static pg_attribute_always_inline int order(FunctionCallInfo fcinfo, Kind kind, bool batches) {
    void *stored = PG_GETARG_POINTER(0);
    Located left = locate(kind, stored);
    Located right = locate(kind, PG_GETARG_POINTER(1));
    int found;

    if (!batches || !page_batch_order(kind, stored, right.value, &found))
        found = single(kind, left.value, right.value);
    located_drop(left);
    located_drop(right);
    return found;
}

#define SUPPORT_FUNCTION(name, kind, batches) \
    SQL_FUNCTION(name); \
    Datum name(PG_FUNCTION_ARGS) { \
        PG_RETURN_INT32(order(fcinfo, kind, batches)); \
    }

/* An index scan calls operators on index tuples as well, whatever the index's operator class is. */
#define OPERATOR(name, kind, sign) \
    SQL_FUNCTION(name); \
    Datum name(PG_FUNCTION_ARGS) { \
        PG_RETURN_BOOL(order(fcinfo, kind, true) sign 0); \
    }

SUPPORT_FUNCTION(enc_int4_cmp, KIND_INT4, false)
SUPPORT_FUNCTION(enc_int4_batch_cmp, KIND_INT4, true)
OPERATOR(enc_int4_lt, KIND_INT4, <)
OPERATOR(enc_int4_le, KIND_INT4, <=)
OPERATOR(enc_int4_eq, KIND_INT4, ==)
OPERATOR(enc_int4_ne, KIND_INT4, !=)
OPERATOR(enc_int4_ge, KIND_INT4, >=)
OPERATOR(enc_int4_gt, KIND_INT4, >)

SUPPORT_FUNCTION(enc_text_cmp, KIND_TEXT, false)
SUPPORT_FUNCTION(enc_text_batch_cmp, KIND_TEXT, true)
OPERATOR(enc_text_lt, KIND_TEXT, <)
OPERATOR(enc_text_le, KIND_TEXT, <=)
OPERATOR(enc_text_eq, KIND_TEXT, ==)
OPERATOR(enc_text_ne, KIND_TEXT, !=)
OPERATOR(enc_text_ge, KIND_TEXT, >=)
OPERATOR(enc_text_gt, KIND_TEXT, >)
