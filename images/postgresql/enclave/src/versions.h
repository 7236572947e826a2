/* What is not the same in all versions of PostgreSQL. */
#ifndef VERSIONS_H
#define VERSIONS_H

#include "access/nbtree.h"
#include "catalog/storage.h"
#include "commands/vacuum.h"
#include "storage/bufmgr.h"
#if PG_VERSION_NUM >= 160000
#include "storage/relfilelocator.h"
#include "utils/relfilenumbermap.h"
#else
#include "storage/relfilenode.h"
#include "utils/relfilenodemap.h"

typedef RelFileNode RelFileLocator;

#define RelFileLocatorEquals(one, other) RelFileNodeEquals(one, other)
#define RelFileLocatorSkippingWAL(file) RelFileNodeSkippingWAL(file)
#endif

#ifndef BTPageGetOpaque
#define BTPageGetOpaque(page) ((BTPageOpaque) PageGetSpecialPointer(page))
#endif

/* The table or index in that file. */
static inline Oid relation_in(RelFileLocator file) {
#if PG_VERSION_NUM >= 160000
    return RelidByRelfilenumber(file.spcOid, file.relNumber);
#else
    return RelidByRelfilenode(file.spcNode, file.relNode);
#endif
}

/* A column's own statistics target; negative where it has none. */
static inline int statistics_target(const VacAttrStats *stats) {
#if PG_VERSION_NUM >= 170000
    return stats->attstattarget;
#else
    return stats->attr->attstattarget;
#endif
}

#endif
