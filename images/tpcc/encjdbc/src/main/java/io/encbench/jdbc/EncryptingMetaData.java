package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/**
 * Metadata with the types that columns had before they were encrypted, as soon as one value of a
 * column has been read; before that a column is what was announced, a binary string.
 */
@Delegating(ResultSetMetaData.class)
final class EncryptingMetaData extends ResultSetMetaDataDelegate {
  private final Columns columns;

  EncryptingMetaData(Session session, Columns columns, ResultSetMetaData inner) {
    super(session, inner);
    this.columns = columns;
  }

  @Override
  public int getColumnType(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.getColumnType(column) : seen.type().jdbc(session.inner);
  }

  @Override
  public String getColumnTypeName(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null
        ? super.getColumnTypeName(column)
        : seen.type().text(session.inner) + (seen.isUnsigned() ? " UNSIGNED" : "");
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.getColumnClassName(column) : Quirks.className(session.inner, seen);
  }

  @Override
  public boolean isSigned(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.isSigned(column) : Quirks.isSigned(session.inner, seen);
  }

  @Override
  public boolean isCaseSensitive(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.isCaseSensitive(column) : seen.type().isBinary();
  }

  @Override
  public int getScale(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.getScale(column) : seen.scale();
  }

  /** 0, which JDBC has for "not known", where the envelope does not say it. */
  @Override
  public int getPrecision(int column) throws SQLException {
    Value seen = columns.seen(column);
    return seen == null ? super.getPrecision(column) : seen.type().digits();
  }
}
