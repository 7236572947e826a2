package io.encbench.tpcc.settings;

import java.util.Arrays;

/** By which statements a run makes its transactions. */
public enum Statements {
  /** Those that a server sees from BenchmarkSQL. */
  BENCHMARKSQL("benchmarksql"),
  /** As few round trips as the database allows. */
  LEAN("lean");

  private final String text;

  Statements(String text) {
    this.text = text;
  }

  static Statements of(String text) throws InvalidInput {
    return Arrays.stream(values())
        .filter(one -> one.text.equals(text))
        .findFirst()
        .orElseThrow(
            () -> new InvalidInput("statements is '" + text + "': write benchmarksql or lean"));
  }

  /** The value of the property. */
  public String text() {
    return text;
  }
}
