package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

@Delegating(
    value = Statement.class,
    wrapped = {ResultSet.class, Connection.class})
class EncryptingStatement extends StatementDelegate {
  private final Statement inner;
  private ResultSet last;
  private EncryptingResultSet wrapper;

  /** Of the result that was read last. */
  private Columns columns = Columns.NONE;

  EncryptingStatement(Session session, Statement inner) {
    super(session, inner);
    this.inner = inner;
  }

  /** The same object for the same one, for {@code getResultSet} may be called again. */
  @Override
  ResultSet wrap(ResultSet found) {
    if (found == null) {
      return null;
    }
    if (found != last) {
      wrapper = new EncryptingResultSet(session, this, found);
      last = found;
    }
    return wrapper;
  }

  @Override
  final Connection wrap(Connection found) {
    return session.connection;
  }

  /** A result's columns, beside those of the last one. */
  final Columns columns(ResultSetMetaData meta) throws SQLException {
    columns = Columns.of(meta, session, columns);
    return columns;
  }

  final boolean isAround(Statement other) {
    return inner == other;
  }
}
