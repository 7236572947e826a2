/*
 * The boundary of the enclave that this module simulates, and what crossing it costs.
 *
 * A crossing lasts at least `transition_ns`, and each value that is opened or sealed in it at least
 * `value_ns` more, its cryptography included. What real work does not fill, the process spins away,
 * because a call into an enclave burns processor time. Zero is off. Without costs nothing crosses.
 *
 * The clock is the wall's, because one of processor time is a system call. A process that spins
 * reads it again at once, so that it was away if much time has passed in between: the crossing lasts
 * so much longer. What it loses during the cryptography counts as time inside.
 *
 *     uint64 began = boundary_enter();
 *     good = vault_open(...) && vault_open(...);
 *     boundary_leave(began, 2);
 */
#ifndef BOUNDARY_H
#define BOUNDARY_H

#include "vault.h"

#define COST_NOT_SET (-1)
#define COST_MAX 1000000 /* a millisecond */

/* Settings; module.c declares them. */
extern char *enclave_key_file;
extern int enclave_transition_ns;
extern int enclave_value_ns;

/* What this process has had so far. */
typedef struct Crossings {
    int64 transitions;
    int64 values;
} Crossings;

extern Crossings crossings;

/* Nanoseconds of a clock that does not go back. */
extern uint64 boundary_clock(void);

/* Nanoseconds for which this process was away while it spun. */
extern uint64 boundary_away;

#define AWAY_NS 5000    /* between two readings of the clock: the process was elsewhere */
#define READING_NS 1000 /* of that counts, so that a spin ends under the slowest clock, too */

/* Spin from now to the end, and as long again as the process was away meanwhile; when that is over.
 * Without a pause instruction, whose length on some processors is that of a value's cryptography.
 */
static inline uint64 boundary_spin(uint64 now, uint64 end) {
    while (now < end) {
        uint64 before = now;

        now = boundary_clock();
        if (unlikely(now - before > AWAY_NS)) {
            uint64 away = now - before - READING_NS;

            boundary_away += away;
            end += away;
        }
    }
    return end;
}

/* The ERROR for a crossing whose costs are not set. */
extern void refuse_crossing(void) __attribute__((noreturn));

/* Go in: key and costs are there, or an ERROR is raised, and the transition is over. */
static inline uint64 boundary_enter(void) {
    uint64 now = 0;

    vault_ready(enclave_key_file);
    if (unlikely(enclave_transition_ns < 0 || enclave_value_ns < 0))
        refuse_crossing();
    crossings.transitions++;
    if (enclave_transition_ns > 0 || enclave_value_ns > 0) {
        now = boundary_clock();
        if (enclave_transition_ns > 0)
            now = boundary_spin(now, now + enclave_transition_ns);
    }
    return now;
}

/* Come out, after so many values were opened or sealed. */
static inline void boundary_leave(uint64 began, int values) {
    crossings.values += values;
    if (enclave_value_ns > 0)
        boundary_spin(boundary_clock(), began + (uint64) values * enclave_value_ns);
}

/* The ERROR for a value that the key does not open. */
extern void refuse_value(void) __attribute__((noreturn));

#endif
