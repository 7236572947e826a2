package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;

@Delegating(
    value = Connection.class,
    wrapped = {
      Statement.class,
      PreparedStatement.class,
      CallableStatement.class,
      DatabaseMetaData.class
    })
final class EncryptingConnection extends ConnectionDelegate {
  EncryptingConnection(Session session, Connection inner) {
    super(session, inner);
    session.connection = this;
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    refuseUpdatable(concurrency);
    return super.createStatement(type, concurrency);
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    refuseUpdatable(concurrency);
    return super.createStatement(type, concurrency, holdability);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency)
      throws SQLException {
    refuseUpdatable(concurrency);
    return super.prepareStatement(sql, type, concurrency);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    refuseUpdatable(concurrency);
    return super.prepareStatement(sql, type, concurrency, holdability);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
    refuseUpdatable(concurrency);
    return super.prepareCall(callable(sql), type, concurrency);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    refuseUpdatable(concurrency);
    return super.prepareCall(callable(sql), type, concurrency, holdability);
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    return super.prepareCall(callable(sql));
  }

  private String callable(String sql) {
    boolean asks = session.inner == Inner.MYSQL && session.opener.hasKey();
    return asks ? Routine.unlisted(sql) : sql;
  }

  /** The inner driver would write back every column of the row as it has read it: ciphertext. */
  private void refuseUpdatable(int concurrency) throws SQLException {
    if (concurrency == ResultSet.CONCUR_UPDATABLE && session.opener.hasKey()) {
      throw new SQLFeatureNotSupportedException(
          "an updatable result set would store encrypted values: change the row with UPDATE",
          "0A000");
    }
  }

  @Override
  Statement wrap(Statement found) {
    return new EncryptingStatement(session, found);
  }

  @Override
  PreparedStatement wrap(PreparedStatement found) {
    return new EncryptingPreparedStatement(session, found);
  }

  @Override
  CallableStatement wrap(CallableStatement found) {
    return new EncryptingCallableStatement(session, found);
  }

  @Override
  DatabaseMetaData wrap(DatabaseMetaData found) {
    return new EncryptingDatabaseMetaData(session, found);
  }
}
