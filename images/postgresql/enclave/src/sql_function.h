/* Functions that SQL calls. */
#ifndef SQL_FUNCTION_H
#define SQL_FUNCTION_H

#include "fmgr.h"

/* Declare one, before it is defined. */
#define SQL_FUNCTION(name) \
    PG_FUNCTION_INFO_V1(name); \
    extern Datum name(PG_FUNCTION_ARGS)

#endif
