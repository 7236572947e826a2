package io.encbench.tpcc.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Set;

/** What an exception of the driver means for the transaction in which it was thrown. */
public enum Failure {
  /** The database chose this transaction to give way; the same again may succeed. */
  RETRY,
  /** The connection is of no use any more. */
  LOST,
  /** Anything else; the same again would fail again. */
  ERROR;

  private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
  private static final int MYSQL_DEADLOCK = 1213;
  private static final int MARIADB_RECORD_CHANGED = 1020;

  /** PostgreSQL: shut down by its administrator, crashed, or starting up. */
  private static final Set<String> POSTGRES_GOING_DOWN = Set.of("57P01", "57P02", "57P03");

  private static final String POSTGRES_LOCK_NOT_AVAILABLE = "55P03";

  /** The exception's meaning by its code. */
  public static Failure of(SQLException error, Dialect dialect) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08")
        || POSTGRES_GOING_DOWN.contains(state)
        || error instanceof SQLNonTransientConnectionException
        || error instanceof SQLRecoverableException) {
      return LOST;
    }
    if (state.startsWith("40") || state.equals(POSTGRES_LOCK_NOT_AVAILABLE)) {
      return RETRY;
    }
    int code = error.getErrorCode();
    if (dialect.isMySqlFamily()
        && (code == MYSQL_LOCK_WAIT_TIMEOUT
            || code == MYSQL_DEADLOCK
            || code == MARIADB_RECORD_CHANGED)) {
      return RETRY;
    }
    return ERROR;
  }

  /** The exception's meaning after a rollback, which is lost as well if that is not possible. */
  public static Failure afterRollback(SQLException error, Dialect dialect, Connection connection) {
    Failure failure = of(error, dialect);
    if (failure == LOST) {
      return LOST;
    }
    try {
      connection.rollback();
      return failure;
    } catch (SQLException notEven) {
      return LOST;
    }
  }
}
