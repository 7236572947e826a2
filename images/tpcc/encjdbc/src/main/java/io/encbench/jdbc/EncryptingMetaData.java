package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/**
 * Metadata with the types that columns had before they were encrypted. Of an envelope that lies in
 * a table of the server's, the type is known when one value of the column has been read; before
 * that the column is what the server says, a binary string.
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
    Description known = columns.known(column);
    return known == null ? super.getColumnType(column) : known.type().jdbc(session.inner);
  }

  @Override
  public String getColumnTypeName(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null
        ? super.getColumnTypeName(column)
        : known.type().text(session.inner) + (known.isUnsigned() ? " UNSIGNED" : "");
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.getColumnClassName(column) : Quirks.className(known);
  }

  @Override
  public boolean isSigned(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.isSigned(column) : Quirks.isSigned(known);
  }

  @Override
  public boolean isCaseSensitive(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.isCaseSensitive(column) : Quirks.isCaseSensitive(known);
  }

  @Override
  public int getScale(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.getScale(column) : known.scale();
  }

  @Override
  public int getColumnDisplaySize(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.getColumnDisplaySize(column) : Quirks.displaySize(known);
  }

  @Override
  public int getPrecision(int column) throws SQLException {
    Description known = columns.known(column);
    return known == null ? super.getPrecision(column) : known.digits();
  }
}
