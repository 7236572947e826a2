package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.CallableStatement;
import java.sql.SQLException;

/** Its getters are for output parameters, which drivers fetch as columns of unknown origin. */
@Delegating(
    value = CallableStatement.class,
    above = EncryptingPreparedStatement.class,
    opens = true)
final class EncryptingCallableStatement extends CallableStatementDelegate {
  private final CallableStatement inner;

  EncryptingCallableStatement(Session session, CallableStatement inner) {
    super(session, inner);
    this.inner = inner;
  }

  @Override
  Value opened(int parameter) throws SQLException {
    byte[] found;
    try {
      found = inner.getBytes(parameter);
    } catch (SQLException noBytes) {
      return null;
    }
    return opened(found, "output parameter " + parameter);
  }

  @Override
  Value opened(String parameter) throws SQLException {
    byte[] found;
    try {
      found = inner.getBytes(parameter);
    } catch (SQLException noBytes) {
      return null;
    }
    return opened(found, "output parameter " + parameter);
  }

  private Value opened(byte[] found, String name) throws SQLException {
    return Envelope.is(found) ? session.opener.open(found, session.inner, () -> name) : null;
  }
}
