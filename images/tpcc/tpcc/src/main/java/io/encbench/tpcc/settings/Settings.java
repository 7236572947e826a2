package io.encbench.tpcc.settings;

import io.encbench.tpcc.database.Access;
import java.util.Map;

/**
 * What the user asks for, checked as far as it can be without a database.
 *
 * @param loadWorkers how many connections fill the tables at a time
 * @param length null unless the command is a run
 * @param terminals null unless the command is a run
 * @param statements by which a run makes its transactions
 * @param limitPerMinute transactions of this client, 0 for as many as it can
 * @param seed what every random choice is drawn from
 * @param deadlineSeconds how long a database may be away
 * @param probeColumns whether a run reads known rows through its driver and prints their digests
 * @param echo the properties as given, which the output repeats
 */
public record Settings(
    Access access,
    int warehouses,
    int loadWorkers,
    boolean foreignKeys,
    Terminals terminals,
    Length length,
    Mix mix,
    Statements statements,
    int limitPerMinute,
    long seed,
    int deadlineSeconds,
    boolean probeColumns,
    Map<String, String> echo) {}
