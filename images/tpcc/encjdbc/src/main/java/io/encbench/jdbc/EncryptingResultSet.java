package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;

/** Rows of which some columns hold envelopes; what is none is read as ever. */
@Delegating(
    value = ResultSet.class,
    wrapped = {ResultSetMetaData.class, Statement.class},
    opens = true)
final class EncryptingResultSet extends ResultSetDelegate {
  private final ResultSet inner;
  private final EncryptingStatement statement;
  private final boolean hidesNames;
  private final Place place;
  private Columns columns;

  /** What was read last; null if that was no envelope. */
  private Value last;

  EncryptingResultSet(Session session, EncryptingStatement statement, ResultSet inner) {
    this(session, statement, inner, false);
  }

  /**
   * The statement is null for what the driver has asked for itself, which it may hand out under
   * names to which no value is bound.
   */
  EncryptingResultSet(
      Session session, EncryptingStatement statement, ResultSet inner, boolean hidesNames) {
    super(session, inner);
    this.inner = inner;
    this.statement = statement;
    this.hidesNames = hidesNames;
    this.place = column -> Columns.name(inner, column);
  }

  @Override
  Value opened(int column) throws SQLException {
    last = null;
    if (!columns().mayHold(column)) {
      return null;
    }
    byte[] found = inner.getBytes(column);
    if (found == null) {
      return Value.NULL;
    }
    if (!Envelope.is(found)) {
      if (session.stored) {
        return null;
      }
      throw new SQLDataException(
          Columns.name(inner, column) + " is announced as encrypted and its value is not", "28000");
    }
    if (hidesNames) {
      throw EncryptingDatabaseMetaData.unopened();
    }
    last = open(found, column);
    return last;
  }

  @Override
  Value opened(String label) throws SQLException {
    return columns().mayHoldAny() ? opened(inner.findColumn(label)) : null;
  }

  @Override
  public boolean wasNull() throws SQLException {
    return last != null && last.wasNull() || super.wasNull();
  }

  @Override
  ResultSetMetaData wrap(ResultSetMetaData found) throws SQLException {
    return found == null || !columns().mayHoldAny()
        ? found
        : new EncryptingMetaData(session, columns, found);
  }

  @Override
  Statement wrap(Statement found) {
    if (statement != null && statement.isAround(found)) {
      return statement;
    }
    return found == null ? null : new EncryptingStatement(session, found);
  }

  private Columns columns() throws SQLException {
    if (columns == null) {
      ResultSetMetaData meta = inner.getMetaData();
      columns =
          statement == null ? Columns.of(meta, session, Columns.NONE) : statement.columns(meta);
    }
    return columns;
  }

  private Value open(byte[] found, int column) throws SQLException {
    Value value = session.opener.open(found, columns.binding(column), session.inner, place, column);
    Description seen = columns.saw(column, value.description());
    return seen == value.description() ? value : value.of(seen);
  }
}
