/*
 * Page batching: all that a search compares on one page of a B-tree, in one crossing.
 *
 * nbtree hands a comparison function two pointers. The first points into the page in shared
 * buffers, which the caller has pinned and locked. From it the page is known, and from the page the
 * index. On the first comparison with a page, one crossing opens the search key, does the page's
 * whole binary search, and brings out two positions: where the items begin that are not below the
 * key, and where those that are above it. They answer every further comparison of that key with
 * that page, until the page changes. This rests on what nbtree itself rests on: that a page is in
 * order.
 *
 * It is encbench's own way to make several comparisons in one crossing. No vendor's extension is
 * known to work like it.
 */
#ifndef PAGE_BATCH_H
#define PAGE_BATCH_H

#include "fmgr.h"

#include "envelope.h"

/*
 * The order of an index item, by its place, and a key, if the item is the first column of an index
 * whose operator class batches. False where it is not, and where a page's state cannot be
 * recognised: temporary and unlogged indexes, and those of a transaction that writes no log for
 * them.
 */
extern bool page_batch_order(Kind kind, const void *item, Value key, int *order);

/* Forget what was found out about pages, as the key is forgotten by which it was. */
extern void page_batch_forget(void);

/* Support functions of the operator classes that batch; compare.c has them. */
extern Datum enc_int4_batch_cmp(FunctionCallInfo fcinfo);
extern Datum enc_text_batch_cmp(FunctionCallInfo fcinfo);

#endif
