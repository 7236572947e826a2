package io.encbench.tpcc.load;

import java.sql.Timestamp;
import java.time.LocalDateTime;

/**
 * The moment at which all data is said to have been made.
 *
 * <p>It is always the same one: two databases loaded with one seed are equal to the last byte.
 */
final class LoadTime {
  static final String TEXT = "2024-01-01 00:00:00";
  static final Timestamp TIMESTAMP = Timestamp.valueOf(LocalDateTime.of(2024, 1, 1, 0, 0));

  private LoadTime() {}
}
