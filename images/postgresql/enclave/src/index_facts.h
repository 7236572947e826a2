/* What page batching has to know of the index that a page belongs to. */
#ifndef INDEX_FACTS_H
#define INDEX_FACTS_H

#include "envelope.h"
#include "versions.h"

typedef struct IndexFacts {
    RelFileLocator file;
    bool batches; /* the operator class of its first column does */
    Kind kind;
    bool descending;
    bool nulls_first;
} IndexFacts;

/* The facts of the index in that file, from the catalogue at first. */
extern const IndexFacts *index_facts(RelFileLocator file);

#endif
