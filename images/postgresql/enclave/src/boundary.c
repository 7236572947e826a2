#include "postgres.h"

#include <time.h>

#include "boundary.h"

char *enclave_key_file;
int enclave_transition_ns;
int enclave_value_ns;

Crossings crossings;

uint64 boundary_clock(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64) now.tv_sec * UINT64CONST(1000000000) + (uint64) now.tv_nsec;
}

void refuse_value(void) {
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("an encrypted value cannot be opened"),
                    errdetail("It was sealed with another key, or altered.")));
}
