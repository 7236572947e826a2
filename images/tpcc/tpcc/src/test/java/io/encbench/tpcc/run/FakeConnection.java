package io.encbench.tpcc.run;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** A connection that only counts, and that can be lost. */
final class FakeConnection implements InvocationHandler {
  int rollbacks;
  int closed;
  boolean lost;

  Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            FakeConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws SQLException {
    switch (method.getName()) {
      case "rollback" -> {
        if (lost) {
          throw new SQLException("no connection", "08003");
        }
        rollbacks++;
      }
      case "close" -> closed++;
      default -> throw new UnsupportedOperationException(method.getName());
    }
    return null;
  }
}
