package io.encbench.tpcc.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * A connection with the statements that were prepared on it. It executes them, and counts what that
 * takes. Only one thread may use it.
 */
public final class Session implements AutoCloseable {
  private final Connection connection;
  private final Dialect dialect;
  private final Abilities abilities;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private final Traffic traffic = new Traffic();

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

  /** The rows that a statement gives. */
  public Rows query(PreparedStatement statement) throws SQLException {
    traffic.sent(1);
    return rows(statement.executeQuery());
  }

  /** The number in the only row that a statement gives, or 0 if there is no row. */
  public int numberOrZero(PreparedStatement statement) throws SQLException {
    try (Rows row = query(statement)) {
      return row.next() ? row.number(1) : 0;
    }
  }

  /** How many rows a statement has changed. */
  public int update(PreparedStatement statement) throws SQLException {
    traffic.sent(1);
    return statement.executeUpdate();
  }

  /** Executes the so many rows of a batch, if any. */
  public void batch(PreparedStatement statement, int count) throws SQLException {
    if (count > 0) {
      traffic.sent(count);
      statement.executeBatch();
    }
  }

  /**
   * Executes so many statements that are one text.
   *
   * @return whether the first of them gives rows
   */
  public boolean execute(PreparedStatement statement, int count) throws SQLException {
    traffic.sent(count);
    return statement.execute();
  }

  /** A result that a statement has given. */
  public Rows rows(ResultSet result) throws SQLException {
    return new Rows(result, traffic);
  }

  public void commit() throws SQLException {
    traffic.sent(0);
    connection.commit();
  }

  public void rollback() throws SQLException {
    traffic.sent(0);
    connection.rollback();
  }

  /** What was sent and received since this was last cleared. */
  public Traffic traffic() {
    return traffic;
  }

  /** What an exception means, after the transaction was rolled back if that was possible. */
  public Failure failure(SQLException error) {
    for (PreparedStatement statement : prepared.values()) {
      forget(statement);
    }
    traffic.sent(0);
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
