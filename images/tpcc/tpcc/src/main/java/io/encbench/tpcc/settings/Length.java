package io.encbench.tpcc.settings;

/**
 * How long a run lasts: so many seconds, or so many transactions a terminal; the other one is 0.
 *
 * @param warmupSeconds what passes before anything is measured
 */
public record Length(int warmupSeconds, int runSeconds, int transactionsPerTerminal) {}
