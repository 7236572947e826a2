package io.encbench.tpcc.run;

import java.util.Map;

/**
 * The seed of the terminals' transactions, where runs that share one database are to draw others
 * with the same constant of last names. A variable and no property, because an earlier client
 * refuses a property that it does not know.
 */
final class TerminalSeed {
  private static final String VARIABLE = "ENCBENCH_TERMINAL_SEED";

  private TerminalSeed() {}

  /**
   * The variable's.
   *
   * @param seed that of the run, which counts where there is no variable
   */
  static long of(Map<String, String> environment, long seed) {
    String own = environment.get(VARIABLE);
    return own == null ? seed : Long.parseLong(own);
  }
}
