/* The macros of values of variable length, which postgres.h has before PostgreSQL 16. */
#ifndef VARLENA_H
#define VARLENA_H

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#endif
