package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;

@Delegating(
    value = DatabaseMetaData.class,
    wrapped = {ResultSet.class, Connection.class})
final class EncryptingDatabaseMetaData extends DatabaseMetaDataDelegate {
  EncryptingDatabaseMetaData(Session session, DatabaseMetaData inner) {
    super(session, inner);
  }

  @Override
  ResultSet wrap(ResultSet found) {
    return found == null ? null : new EncryptingResultSet(session, null, found);
  }

  @Override
  Connection wrap(Connection found) {
    return session.connection;
  }

  /** So that a log of a run says through which driver it went. */
  @Override
  public String getDriverName() throws SQLException {
    return "encbench around " + super.getDriverName();
  }

  @Override
  public String getURL() throws SQLException {
    String url = super.getURL();
    return url == null ? null : Target.PREFIX + url;
  }
}
