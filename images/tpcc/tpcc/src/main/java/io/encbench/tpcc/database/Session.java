package io.encbench.tpcc.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection with the statements that were prepared on it. Only one thread may use it. */
public final class Session implements AutoCloseable {
  private final Connection connection;
  private final Dialect dialect;
  private final Abilities abilities;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  public Session(Connection connection, Dialect dialect, Abilities abilities) {
    this.connection = connection;
    this.dialect = dialect;
    this.abilities = abilities;
  }

  /** The statement of this text, prepared when it is first asked for. */
  public PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    return statement;
  }

  public void commit() throws SQLException {
    connection.commit();
  }

  public void rollback() throws SQLException {
    connection.rollback();
  }

  /** What an exception means, after the transaction was rolled back if that was possible. */
  public Failure failure(SQLException error) {
    for (PreparedStatement statement : prepared.values()) {
      forget(statement);
    }
    return Failure.afterRollback(error, dialect, connection);
  }

  public Dialect dialect() {
    return dialect;
  }

  public Abilities abilities() {
    return abilities;
  }

  public Connection connection() {
    return connection;
  }

  /** Closes the connection; what goes wrong then is of no interest any more. */
  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException ignored) {
      // It is gone either way.
    }
  }

  /** A batch that was being filled must not become part of the next one. */
  private static void forget(PreparedStatement statement) {
    try {
      statement.clearBatch();
    } catch (SQLException ignored) {
      // Its connection is lost, and it with it.
    }
  }
}
