package io.encbench.tpcc.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Iterator;
import org.junit.jupiter.api.Test;

class FactsTest {
  private static <T> T fake(Class<T> type, InvocationHandler answers) {
    return type.cast(
        Proxy.newProxyInstance(FactsTest.class.getClassLoader(), new Class<?>[] {type}, answers));
  }

  private static ResultSet rows(String[]... all) {
    Iterator<String[]> left = Arrays.asList(all).iterator();
    String[][] row = new String[1][];
    return fake(
        ResultSet.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "next" -> {
                boolean more = left.hasNext();
                row[0] = more ? left.next() : null;
                yield more;
              }
              case "getString" -> row[0][(int) arguments[0] - 1];
              case "close" -> null;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  /** TLS of a session whose server answers so; with null it refuses the question. */
  private static String tls(Dialect dialect, ResultSet answer) throws SQLException {
    Statement statement =
        fake(
            Statement.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              if (answer == null) {
                throw new SQLException("no such table", "42P01");
              }
              return answer;
            });
    Connection connection =
        fake(
            Connection.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getMetaData" -> fake(DatabaseMetaData.class, (self, asked, none) -> "x");
                  case "createStatement" -> statement;
                  case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
                  case "rollback" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    Facts facts = Facts.of(connection, dialect);
    assertEquals("READ_COMMITTED", facts.isolation());
    return facts.tls() + " " + facts.cipher();
  }

  private static String[] row(String... cells) {
    return cells;
  }

  @Test
  void aSessionWithTlsNamesIt() throws SQLException {
    String suite = "TLS_AES_128_GCM_SHA256";
    ResultSet status =
        rows(row("Ssl_cipher", suite), row("Ssl_ctx", "1"), row("Ssl_version", "TLSv1.3"));
    assertEquals("TLSv1.3 " + suite, tls(Dialect.MYSQL, status));
    assertEquals("TLSv1.3 " + suite, tls(Dialect.POSTGRES, rows(row("TLSv1.3", suite))));
  }

  @Test
  void anEmptyAnswerIsNoTls() throws SQLException {
    ResultSet status = rows(row("Ssl_cipher", ""), row("Ssl_version", null));
    assertEquals("none none", tls(Dialect.MARIADB, status));
    assertEquals("none none", tls(Dialect.POSTGRES, rows(row(null, null))));
  }

  @Test
  void noAnswerIsNotNone() throws SQLException {
    for (Dialect dialect : Dialect.values()) {
      assertEquals("unknown unknown", tls(dialect, rows()));
      assertEquals("unknown unknown", tls(dialect, null));
    }
    assertEquals("none unknown", tls(Dialect.MYSQL, rows(row("Ssl_version", ""))));
  }
}
