package io.encbench.tpcc.settings;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What to say about a property that this client does not know. */
final class Advice {
  private static final String NO_FILES =
      "this client writes nothing but its output, so leave it out";
  private static final String DIALECT_6 =
      "is a property of BenchmarkSQL 6, and this client takes those of 5: ";

  /** Properties of other programs that people bring along. */
  private static final Map<String, String> KNOWN_ELSEWHERE =
      Map.ofEntries(
          Map.entry(
              "password",
              "is not taken, for files of properties are kept and passed on:"
                  + " put the password into a file of its own and its path into passwordFile"),
          Map.entry("resultDirectory", "is not supported: " + NO_FILES),
          Map.entry("osCollectorScript", "is not supported: " + NO_FILES),
          Map.entry("osCollectorInterval", "is not supported: " + NO_FILES),
          Map.entry("osCollectorSSHAddr", "is not supported: " + NO_FILES),
          Map.entry("osCollectorDevices", "is not supported: " + NO_FILES),
          Map.entry(
              "fileLocation", "is not supported: this client loads over JDBC, so leave it out"),
          Map.entry("useStoredProcedures", "is not supported: leave it out"),
          Map.entry("application", DIALECT_6 + "leave it out"),
          Map.entry("monkeys", DIALECT_6 + "use terminals"),
          Map.entry("sutThreads", DIALECT_6 + "use terminals"),
          Map.entry("maxDeliveryBGThreads", DIALECT_6 + "leave it out"),
          Map.entry("maxDeliveryBGPerWarehouse", DIALECT_6 + "leave it out"),
          Map.entry("rampupMins", DIALECT_6 + "use warmupSeconds"),
          Map.entry("rampupSUTMins", DIALECT_6 + "leave it out"),
          Map.entry("rampupTerminalMins", DIALECT_6 + "leave it out"),
          Map.entry(
              "reportIntervalSecs", DIALECT_6 + "leave it out, there is a report each second"),
          Map.entry("keyingTimeMultiplier", DIALECT_6 + "leave it out, there is no keying time"),
          Map.entry("thinkTimeMultiplier", DIALECT_6 + "leave it out, there is no think time"));

  private Advice() {}

  /** One sentence about an unknown property. */
  static String about(String unknown) {
    String elsewhere = KNOWN_ELSEWHERE.get(unknown);
    if (elsewhere != null) {
      return unknown + " " + elsewhere;
    }
    return nearest(unknown)
        .map(name -> "there is no property " + unknown + ": did you mean " + name + "?")
        .orElse("there is no property " + unknown + ": leave it out");
  }

  private static Optional<Name> nearest(String unknown) {
    String wanted = unknown.toLowerCase(Locale.ROOT);
    return Arrays.stream(Name.values())
        .min(Comparator.comparingInt(name -> distance(wanted, name)))
        .filter(name -> distance(wanted, name) <= Math.max(2, wanted.length() / 3));
  }

  private static int distance(String wanted, Name name) {
    return editDistance(wanted, name.text.toLowerCase(Locale.ROOT));
  }

  /** How many characters have to be inserted, removed or replaced to make one of the other. */
  static int editDistance(String one, String other) {
    int[] previous = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] current = new int[other.length() + 1];
      current[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = previous[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[other.length()];
  }
}
