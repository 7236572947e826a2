package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.sql.SQLException;

/** One business transaction with its input, to be tried until it succeeds or is given up. */
public interface Work {
  Type type();

  /**
   * Tries it on this session.
   *
   * @return whether it was committed, or rolled back as its input wants
   * @throws SQLException if it was not; what it did since the last commit is to be rolled back
   */
  boolean attempt(Session session) throws SQLException;

  /** How many orders were delivered for good. */
  default int delivered() {
    return 0;
  }

  /** How many districts had nothing to deliver. */
  default int skipped() {
    return 0;
  }
}
