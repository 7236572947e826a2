#include "postgres.h"

#include <time.h>

#include "boundary.h"

char *enclave_key_file;
int enclave_transition_ns = COST_NOT_SET;
int enclave_value_ns = COST_NOT_SET;

Crossings crossings;
uint64 boundary_away;

uint64 boundary_clock(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64) now.tv_sec * UINT64CONST(1000000000) + (uint64) now.tv_nsec;
}

void refuse_crossing(void) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the costs of the simulated boundary are not set"),
                    errhint("Set encbench_enclave.transition_ns and encbench_enclave.value_ns in "
                            "the server's configuration; 0 is off.")));
}

void refuse_value(void) {
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("an encrypted value cannot be opened"),
                    errdetail("It was sealed with another key, or altered.")));
}
