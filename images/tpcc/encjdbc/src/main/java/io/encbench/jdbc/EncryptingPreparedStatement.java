package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

@Delegating(
    value = PreparedStatement.class,
    above = EncryptingStatement.class,
    wrapped = {ResultSet.class})
class EncryptingPreparedStatement extends PreparedStatementDelegate {
  EncryptingPreparedStatement(Session session, PreparedStatement inner) {
    super(session, inner);
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    ResultSetMetaData found = super.getMetaData();
    Columns columns = columns(found);
    return columns.mayHoldAny() ? new EncryptingMetaData(session, columns, found) : found;
  }
}
