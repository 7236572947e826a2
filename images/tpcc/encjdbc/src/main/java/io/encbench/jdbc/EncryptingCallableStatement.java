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
    return opened(() -> inner.getBytes(parameter), parameter);
  }

  @Override
  Value opened(String parameter) throws SQLException {
    return opened(() -> inner.getBytes(parameter), parameter);
  }

  /** Null where there is no envelope, as where the driver has no bytes of the parameter's type. */
  private Value opened(Reading reading, Object parameter) throws SQLException {
    byte[] found;
    try {
      found = reading.bytes();
    } catch (SQLException noBytes) {
      return null;
    }
    return Envelope.is(found)
        ? session.opener.open(
            found, session.unnamed, session.inner, number -> "output parameter " + parameter, 0)
        : null;
  }

  private interface Reading {
    byte[] bytes() throws SQLException;
  }
}
