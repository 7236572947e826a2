package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.sql.SQLException;

/**
 * One business transaction with its input, to be tried until it succeeds or is given up.
 *
 * <p>No transaction locks rows against the order district, customer, stock, warehouse, so that they
 * wait for each other and do not deadlock. The hottest row, the warehouse's, is locked last.
 */
public interface Work {
  Type type();

  /**
   * Tries it on this session.
   *
   * @return whether it was committed, or rolled back as its input wants
   * @throws SQLException if it was not; what it did since the last commit is to be rolled back
   */
  boolean attempt(Session session) throws SQLException;
}
