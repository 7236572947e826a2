#include "postgres.h"

#include <time.h>

#include "boundary.h"
#include "vault.h"

char *enclave_key_file;
int enclave_transition_ns;
int enclave_value_ns;

Crossings crossings;

uint64 boundary_clock(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64) now.tv_sec * UINT64CONST(1000000000) + (uint64) now.tv_nsec;
}

/* Without a pause instruction, whose length on some processors is that of a value's cryptography.
 */
static void spin_until(uint64 end) {
    while (boundary_clock() < end)
        ;
}

uint64 boundary_enter(void) {
    uint64 now = 0;

    vault_ready(enclave_key_file);
    crossings.transitions++;
    if (enclave_transition_ns > 0 || enclave_value_ns > 0) {
        now = boundary_clock() + enclave_transition_ns;
        if (enclave_transition_ns > 0)
            spin_until(now);
    }
    return now;
}

void boundary_leave(uint64 began, int values) {
    crossings.values += values;
    if (enclave_value_ns > 0)
        spin_until(began + (uint64) values * enclave_value_ns);
}

void refuse_value(void) {
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("an encrypted value cannot be opened"),
                    errdetail("It was sealed with another key, or altered.")));
}
