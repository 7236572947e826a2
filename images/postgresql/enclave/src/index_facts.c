#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opclass.h"
#include "fmgr.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "index_facts.h"
#include "page_batch.h"

static HTAB *known;
static IndexFacts *latest;
static bool outdated;

static void relation_changed(Datum argument pg_attribute_unused(),
                             Oid relation pg_attribute_unused()) {
    outdated = true;
    latest = NULL;
}

/* Have the table of what is known, empty if some relation has changed since. */
static void begin(void) {
    HASHCTL control = {.keysize = sizeof(RelFileLocator), .entrysize = sizeof(IndexFacts)};

    if (known == NULL)
        CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
    else
        hash_destroy(known);
    known = hash_create("encbench_enclave indexes", 16, &control, HASH_ELEM | HASH_BLOBS);
    outdated = false;
}

/* A column of pg_index that is an array. */
static Datum array_of(HeapTuple index, AttrNumber column) {
    bool is_null;
    Datum found = SysCacheGetAttr(INDEXRELID, index, column, &is_null);

    Assert(!is_null);
    return found;
}

/* The kind that the operator class's support function batches; false if it does not. */
static bool batches(Oid operator_class, Kind *kind) {
    Oid type = get_opclass_input_type(operator_class);
    Oid function = get_opfamily_proc(get_opclass_family(operator_class), type, type, BTORDER_PROC);
    FmgrInfo called;

    if (!OidIsValid(function))
        return false;
    fmgr_info(function, &called);
    *kind = called.fn_addr == enc_int4_batch_cmp ? KIND_INT4 : KIND_TEXT;
    return called.fn_addr == enc_int4_batch_cmp || called.fn_addr == enc_text_batch_cmp;
}

static void read_catalogue(IndexFacts *facts) {
    Oid relation = relation_in(facts->file);
    HeapTuple index;

    facts->batches = false;
    if (!OidIsValid(relation))
        return;
    index = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relation));
    if (!HeapTupleIsValid(index))
        return;
    {
        oidvector *classes = (oidvector *) DatumGetPointer(array_of(index, Anum_pg_index_indclass));
        int2vector *options =
            (int2vector *) DatumGetPointer(array_of(index, Anum_pg_index_indoption));

        facts->descending = (options->values[0] & INDOPTION_DESC) != 0;
        facts->nulls_first = (options->values[0] & INDOPTION_NULLS_FIRST) != 0;
        facts->batches = batches(classes->values[0], &facts->kind);
    }
    ReleaseSysCache(index);
}

const IndexFacts *index_facts(RelFileLocator file) {
    IndexFacts found = {.file = file};
    IndexFacts *entry;

    if (latest != NULL && RelFileLocatorEquals(latest->file, file))
        return latest;
    if (known == NULL || outdated)
        begin();
    entry = hash_search(known, &file, HASH_FIND, NULL);
    if (entry == NULL) {
        /* The catalogue first: reading it may fail, and may find that something has changed. */
        read_catalogue(&found);
        if (outdated)
            begin();
        entry = hash_search(known, &file, HASH_ENTER, NULL);
        *entry = found;
    }
    latest = entry;
    return entry;
}
