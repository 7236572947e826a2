/* The module as the server loads it: its settings. */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/guc.h"

#include "boundary.h"
#include "page_batch.h"
#include "vault.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static void key_file_changed(const char *path pg_attribute_unused(),
                             void *extra pg_attribute_unused()) {
    vault_forget();
    page_batch_forget();
}

/*
 * Only a superuser changes a cost; only the server's files name the key.
 *
 * A client's startup options are taken before the server loads this module, and in place of what
 * the server's files say. It refuses them here, with a WARNING, and leaves the setting at its boot
 * value. So that value must not be a cost: a client could switch the boundary off.
 */
void _PG_init(void) {
    /* The server would not let the settings take their values, and there would be no key. */
    if (IsInParallelMode())
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("encbench_enclave cannot be loaded during a parallel operation"),
                        errhint("Add it to session_preload_libraries.")));
    DefineCustomStringVariable("encbench_enclave.key_file",
                               "File that holds the key, as 32 hexadecimal digits.", NULL,
                               &enclave_key_file, "", PGC_SIGHUP, 0, NULL, key_file_changed, NULL);
    DefineCustomIntVariable("encbench_enclave.transition_ns",
                            "Nanoseconds that a crossing of the simulated boundary takes.",
                            "0 is off; at -1 nothing crosses.", &enclave_transition_ns,
                            COST_NOT_SET, COST_NOT_SET, COST_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("encbench_enclave.value_ns",
                            "Nanoseconds that each value takes behind the simulated boundary.",
                            "Its cryptography is included. 0 is off; at -1 nothing crosses.",
                            &enclave_value_ns, COST_NOT_SET, COST_NOT_SET, COST_MAX, PGC_SUSET, 0,
                            NULL, NULL, NULL);
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved("encbench_enclave");
#else
    EmitWarningsOnPlaceholders("encbench_enclave");
#endif
}
