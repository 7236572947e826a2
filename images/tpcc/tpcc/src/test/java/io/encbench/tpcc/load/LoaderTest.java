package io.encbench.tpcc.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.encbench.tpcc.AnyDriver;
import io.encbench.tpcc.database.Access;
import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.settings.Settings;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class LoaderTest {
  /** A driver that makes one connection, on which every statement succeeds. */
  public static final class Once extends AnyDriver {
    private int made;
    private int open;

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
      if (made++ > 0) {
        throw new SQLException("the workers' connection, beside " + open);
      }
      open++;
      Statement statement = proxy(Statement.class, (proxy, method, arguments) -> false);
      return proxy(
          Connection.class,
          (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
              open--;
            }
            return method.getName().equals("createStatement") ? statement : null;
          });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler answers) {
      return type.cast(
          Proxy.newProxyInstance(Once.class.getClassLoader(), new Class<?>[] {type}, answers));
    }
  }

  /** MySQL ends one after eight hours, and the workers may take longer. */
  @Test
  void noConnectionIsIdleWhileTheWorkersWork() throws Exception {
    Access access =
        new Access(
            Dialect.MYSQL, Once.class.getName(), "jdbc:once:db", null, "me", null, null, false);
    Output output = new Output(OutputStream.nullOutputStream());
    Settings settings =
        new Settings(access, 1, 1, true, null, null, null, null, 0, 1L, 1, false, Map.of());
    Loader loader = new Loader(settings, Database.of(access, output), output);
    SQLException error = assertThrows(SQLException.class, loader::load);
    assertEquals("the workers' connection, beside 0", error.getMessage());
  }
}
