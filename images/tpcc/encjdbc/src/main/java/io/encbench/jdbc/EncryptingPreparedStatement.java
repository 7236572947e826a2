package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

@Delegating(
    value = PreparedStatement.class,
    above = EncryptingStatement.class,
    wrapped = {ResultSet.class})
class EncryptingPreparedStatement extends PreparedStatementDelegate {
  EncryptingPreparedStatement(Session session, PreparedStatement inner) {
    super(session, inner);
  }
}
