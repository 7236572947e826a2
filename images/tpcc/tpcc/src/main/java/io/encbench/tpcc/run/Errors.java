package io.encbench.tpcc.run;

import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/** The errors by kind. The first of each kind is shown at once, the others are only counted. */
final class Errors {
  private static final int MOST_KINDS = 20;
  private static final int LONGEST = 120;
  private static final String OTHERS = "others";

  private final Output output;
  private final Map<String, Long> counts = new TreeMap<>();

  Errors(Output output) {
    this.output = output;
  }

  synchronized void add(String where, SQLException error) {
    String kind = kind(error);
    if (!counts.containsKey(kind)) {
      if (counts.size() >= MOST_KINDS) {
        kind = OTHERS;
      } else {
        output.error(where + ": " + kind);
      }
    }
    counts.merge(kind, 1L, Long::sum);
  }

  synchronized Json json() {
    Json json = Json.object();
    counts.forEach(json::put);
    return json;
  }

  /**
   * SQL's code and the beginning of the message, with # for every number, so that keys do not
   * count. It is masked before that: a part of a secret would not be found.
   */
  private String kind(SQLException error) {
    String said = output.masked(String.valueOf(error.getMessage()));
    String message = said.lines().findFirst().orElse("");
    String general = message.replaceAll("\\d+", "#").strip();
    return error.getSQLState()
        + " "
        + (general.length() <= LONGEST ? general : general.substring(0, LONGEST));
  }
}
