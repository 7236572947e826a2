#include "postgres.h"

#include "miscadmin.h"

#include "boundary.h"
#include "index_facts.h"
#include "order.h"
#include "page_batch.h"

#define MEMOS 8
#define KEY_ROOM 288
#define STARTS (BLCKSZ / MAXIMUM_ALIGNOF)

/* A page as it was at some moment: that of its last change in the log. */
typedef struct PageState {
    RelFileLocator file;
    BlockNumber block;
    XLogRecPtr changed;
} PageState;

/* What one crossing found out about a key and a page. */
typedef struct Memo {
    bool used;
    PageState page;
    size_t key_size;
    uint8 key[KEY_ROOM];
    OffsetNumber first; /* items before it come before the key */
    OffsetNumber after; /* items from it on come after the key */
    int high_key;       /* how the page's high key stands to the key, in the page's order */
    bool has_high_key;
    OffsetNumber number_of[STARTS]; /* of the item that starts there, in units of alignment; or 0 */
} Memo;

static Memo memos[MEMOS];
static int next_memo;

/* A page in shared buffers. */
typedef struct IndexPage {
    Buffer buffer;
    Page page;
    PageState state;
    const IndexFacts *index;
} IndexPage;

/* The buffer that the pointer points into, or InvalidBuffer. */
static Buffer buffer_of(const void *pointer) {
    uintptr_t first = (uintptr_t) BufferBlocks;
    uintptr_t place = (uintptr_t) pointer;

    if (place < first || place - first >= (uintptr_t) NBuffers * BLCKSZ)
        return InvalidBuffer;
    return (Buffer) ((place - first) / BLCKSZ) + 1;
}

/* Whether it is a page of a B-tree with items to search. Access methods whose special space is as
 * large as nbtree's end it with a number above nbtree's, so that tools can tell them apart. */
static bool is_btree_page(Page page) {
    BTPageOpaque opaque;

    if (PageIsNew(page) || PageGetSpecialSize(page) != MAXALIGN(sizeof(BTPageOpaqueData)))
        return false;
    opaque = BTPageGetOpaque(page);
    return opaque->btpo_cycleid <= MAX_BT_CYCLE_ID && !P_IGNORE(opaque) && !P_ISMETA(opaque);
}

/* Whether the pointer leads to a page of an index that batches values of that kind. */
static bool find_page(Kind kind, const void *pointer, IndexPage *found) {
    ForkNumber fork;

    found->buffer = buffer_of(pointer);
    if (!BufferIsValid(found->buffer))
        return false;
    found->page = BufferGetPage(found->buffer);
    if (!is_btree_page(found->page) || !BufferIsPermanent(found->buffer))
        return false;
    BufferGetTag(found->buffer, &found->state.file, &fork, &found->state.block);
    found->index = index_facts(found->state.file);
    if (!found->index->batches || found->index->kind != kind)
        return false;
    /* 0 until the page is first logged, as in an index that was built under wal_level = minimal.
     * Whatever changes it after the transaction that built it is logged. */
    found->state.changed = BufferGetLSNAtomic(found->buffer);
    /* Without a record in the log, a change would leave the page's last one as it was. */
    return !RelFileLocatorSkippingWAL(found->state.file);
}

static IndexTuple tuple_at(Page page, OffsetNumber number) {
    return (IndexTuple) PageGetItem(page, PageGetItemId(page, number));
}

/* The first column of an item, or NULL. */
static void *first_column(Page page, OffsetNumber number) {
    IndexTuple tuple = tuple_at(page, number);

    if (IndexTupleHasNulls(tuple) && att_isnull(0, (bits8 *) (tuple + 1)))
        return NULL;
    return (char *) tuple + IndexInfoFindDataOffset(tuple->t_info);
}

/* The number of the item whose first column is at that place of the page, or 0. Where an item's
 * first column is NULL, its second one lies there. */
static OffsetNumber number_at(const Memo *memo, Page page, const void *place) {
    Size inside = (const char *) place - (const char *) page;

    for (int has_nulls = 0; has_nulls <= 1; has_nulls++) {
        Size before = IndexInfoFindDataOffset(has_nulls ? INDEX_NULL_MASK : 0);
        Size start = inside - before;
        OffsetNumber number;

        if (inside < before || start % MAXIMUM_ALIGNOF != 0)
            continue;
        number = memo->number_of[start / MAXIMUM_ALIGNOF];
        if (number != 0 && first_column(page, number) == place)
            return number;
    }
    return 0;
}

/* Note where each item starts. */
static void number_items(Memo *memo, Page page) {
    OffsetNumber last = PageGetMaxOffsetNumber(page);

    memset(memo->number_of, 0, sizeof(memo->number_of));
    for (OffsetNumber number = FirstOffsetNumber; number <= last; number++) {
        unsigned start = ItemIdGetOffset(PageGetItemId(page, number));

        if (start < BLCKSZ && start % MAXIMUM_ALIGNOF == 0)
            memo->number_of[start / MAXIMUM_ALIGNOF] = number;
    }
}

/* A search behind the boundary. */
typedef struct Search {
    const IndexPage *in;
    const Opened *key;
    int opened;
    bool good; /* every value so far could be opened */
} Search;

/* How an item stands to the key, in the page's order. */
static int standing(Search *search, OffsetNumber number) {
    const IndexFacts *index = search->in->index;
    void *stored = first_column(search->in->page, number);
    Located located;
    Opened item;
    int order = 0;

    if (stored == NULL)
        return index->nulls_first ? -1 : 1;
    located = locate(index->kind, stored);
    search->opened++;
    if (order_open(index->kind, located.value, false, &item))
        order = order_of(index->kind, &item, search->key);
    else
        search->good = false;
    order_close(&item);
    located_drop(located);
    return index->descending ? -order : order;
}

/* The first item from `low` on, and before `end`, that stands above the limit; `end` if none. The
 * middle is nbtree's: what the server will ask for is what is opened. */
static OffsetNumber first_above(Search *search, OffsetNumber low, OffsetNumber end, int limit,
                                int *at_found) {
    OffsetNumber high = end;

    while (high > low && search->good) {
        OffsetNumber middle = low + (high - low) / 2;
        int order = standing(search, middle);

        if (order > limit) {
            high = middle;
            *at_found = order;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static void search_page(Search *search, Memo *memo) {
    Page page = search->in->page;
    BTPageOpaque opaque = BTPageGetOpaque(page);
    OffsetNumber low = P_FIRSTDATAKEY(opaque);
    OffsetNumber end = OffsetNumberNext(PageGetMaxOffsetNumber(page));
    int at_first = 1;

    memo->has_high_key = !P_RIGHTMOST(opaque);
    if (memo->has_high_key)
        memo->high_key = standing(search, P_HIKEY);
    if (!P_ISLEAF(opaque))
        low = OffsetNumberNext(low); /* below every key; nothing is stored in it */
    memo->first = first_above(search, low, Max(low, end), -1, &at_first);
    memo->after = memo->first;
    if (at_first == 0)
        memo->after = first_above(search, OffsetNumberNext(memo->first), end, 0, &at_first);
}

/* Search the page for the key, in one crossing. */
static void cross(const IndexPage *in, Value key, Memo *memo) {
    Opened opened;
    Search search = {.in = in, .key = &opened, .opened = 1};
    uint64 began = boundary_enter();

    search.good = order_open(in->index->kind, key, true, &opened);
    if (search.good)
        search_page(&search, memo);
    boundary_leave(began, search.opened);
    order_close(&opened);
    if (!search.good)
        refuse_value();
}

static bool is_of(const Memo *memo, const PageState *page, Value key) {
    return memo->used && memo->page.block == page->block && memo->page.changed == page->changed &&
           RelFileLocatorEquals(memo->page.file, page->file) && memo->key_size == key.size &&
           memcmp(memo->key, key.bytes, key.size) == 0;
}

static const Memo *remembered(const PageState *page, Value key) {
    for (int i = 0; i < MEMOS; i++)
        if (is_of(&memos[i], page, key))
            return &memos[i];
    return NULL;
}

/* A new memo in place of the oldest, or NULL if the item is not a first column. */
static const Memo *ask(const IndexPage *in, const void *item, Value key) {
    Memo *memo = &memos[next_memo];

    memo->used = false; /* until it is complete: what follows may raise an error */
    number_items(memo, in->page);
    if (number_at(memo, in->page, item) == 0)
        return NULL;
    cross(in, key, memo);
    memo->page = in->state;
    memo->key_size = key.size;
    memcpy(memo->key, key.bytes, key.size);
    memo->used = true;
    next_memo = (next_memo + 1) % MEMOS;
    return memo;
}

void page_batch_forget(void) {
    for (int i = 0; i < MEMOS; i++)
        memos[i].used = false;
}

static int standing_of(const Memo *memo, OffsetNumber number) {
    if (memo->has_high_key && number == P_HIKEY)
        return memo->high_key;
    return number < memo->first ? -1 : number < memo->after ? 0 : 1;
}

bool page_batch_order(Kind kind, const void *item, Value key, int *order) {
    IndexPage in;
    const Memo *memo;
    OffsetNumber number;

    if (key.size > KEY_ROOM || !find_page(kind, item, &in))
        return false;
    memo = remembered(&in.state, key);
    if (memo == NULL)
        memo = ask(&in, item, key);
    if (memo == NULL)
        return false;
    number = number_at(memo, in.page, item);
    if (number == 0)
        return false;
    *order = in.index->descending ? -standing_of(memo, number) : standing_of(memo, number);
    return true;
}
