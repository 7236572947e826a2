package io.encbench.tpcc.run;

import java.util.Map;

/**
 * The moment at which all clients of a trial begin, once each has started and connected. The
 * operator's {@code tools/gathering.py} says how long that may take.
 */
final class Gathering {
  private static final String START = "ENCBENCH_START_AT";
  private static final String SECONDS = "ENCBENCH_GATHER";

  private Gathering() {}

  /**
   * Nanoseconds until that moment; 0 if it has passed, or if the client runs by itself.
   *
   * @param now Unix time in milliseconds
   */
  static long left(Map<String, String> environment, long now) {
    if (!environment.containsKey(SECONDS)) {
      return 0;
    }
    double begin =
        Double.parseDouble(environment.get(START)) + Double.parseDouble(environment.get(SECONDS));
    return Math.max(0, Math.round((begin - now / 1e3) * 1e9));
  }
}
