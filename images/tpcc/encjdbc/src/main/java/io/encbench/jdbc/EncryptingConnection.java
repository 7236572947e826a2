package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
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
