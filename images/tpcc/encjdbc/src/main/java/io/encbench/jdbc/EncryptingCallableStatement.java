package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.CallableStatement;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;

/**
 * Its getters are for output parameters, which drivers fetch as columns of unknown origin.
 *
 * <p>It remembers the types that are registered by number. Around Connector/J none is registered by
 * name where there is a key, because {@link Routine} hides the names; MariaDB's driver does not
 * look at the types.
 */
@Delegating(
    value = CallableStatement.class,
    above = EncryptingPreparedStatement.class,
    opens = true)
final class EncryptingCallableStatement extends CallableStatementDelegate {
  private final CallableStatement inner;
  private final Map<Integer, Integer> registered = new HashMap<>();

  EncryptingCallableStatement(Session session, CallableStatement inner) {
    super(session, inner);
    this.inner = inner;
  }

  @Override
  public void registerOutParameter(int parameter, int type) throws SQLException {
    super.registerOutParameter(parameter, type);
    registered.put(parameter, type);
  }

  @Override
  public void registerOutParameter(int parameter, int type, int scale) throws SQLException {
    super.registerOutParameter(parameter, type, scale);
    registered.put(parameter, type);
  }

  @Override
  public void registerOutParameter(int parameter, int type, String name) throws SQLException {
    super.registerOutParameter(parameter, type, name);
    registered.put(parameter, type);
  }

  @Override
  public void registerOutParameter(int parameter, SQLType type) throws SQLException {
    super.registerOutParameter(parameter, type);
    registered.put(parameter, type.getVendorTypeNumber());
  }

  @Override
  public void registerOutParameter(int parameter, SQLType type, int scale) throws SQLException {
    super.registerOutParameter(parameter, type, scale);
    registered.put(parameter, type.getVendorTypeNumber());
  }

  @Override
  public void registerOutParameter(int parameter, SQLType type, String name) throws SQLException {
    super.registerOutParameter(parameter, type, name);
    registered.put(parameter, type.getVendorTypeNumber());
  }

  /** Connector/J has an output parameter's variable as an object of its registered type. */
  @Override
  public Object getObject(int parameter) throws SQLException {
    if (session.inner != Inner.MYSQL) {
      return super.getObject(parameter);
    }
    Value value = opened(parameter);
    return value == null
        ? inner.getObject(parameter)
        : Objects.registered(value, registered.getOrDefault(parameter, Types.OTHER));
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
