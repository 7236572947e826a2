package io.encbench.jdbc;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Properties;

/**
 * Calls a procedure with a result and output parameters, and a function: directly, through a proxy
 * with the inner driver, and with ours. It prints a line for each value, and for a refusal its SQL
 * state. A driver that cannot call at all has one line: {@code Calls USER PASSWORD_FILE MEK_FILE
 * DIRECT_URL PROXIED_URL}.
 */
final class Calls {
  private Calls() {}

  private interface Reading {
    Object value() throws SQLException;
  }

  public static void main(String[] words) throws Exception {
    Properties login = new Properties();
    login.setProperty("user", words[0]);
    login.setProperty("password", Files.readString(Path.of(words[1])).strip());
    Properties ours = new Properties();
    ours.putAll(login);
    ours.setProperty("encbench.mekFile", words[2]);
    call("direct", words[3], login);
    call("inner", words[4], login);
    call("ours", "jdbc:encbench:" + words[4], ours);
  }

  private static void call(String who, String url, Properties properties) {
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      procedure(who, connection);
      function(who, connection);
    } catch (SQLException | NumberFormatException failed) {
      System.out.println(who + ": fails: " + failed.getMessage());
    }
  }

  private static void function(String who, Connection connection) throws SQLException {
    try (CallableStatement call = connection.prepareCall("{? = call named(?)}")) {
      call.registerOutParameter(1, Types.VARCHAR);
      call.setInt(2, 2);
      call.execute();
      print(who, "function", () -> call.getString(1));
    }
  }

  private static void procedure(String who, Connection connection) throws SQLException {
    try (CallableStatement call = connection.prepareCall("{call gives(?, ?, ?)}")) {
      call.setInt(1, 2);
      call.registerOutParameter(2, Types.VARCHAR);
      call.registerOutParameter(3, Types.DECIMAL);
      call.execute();
      try (ResultSet row = call.getResultSet()) {
        row.next();
        print(who, "row name", () -> row.getBytes("name"));
        print(who, "row text", () -> row.getString("name"));
        print(who, "row amount", () -> row.getBigDecimal("amount"));
      }
      print(who, "out name", () -> call.getBytes(2));
      print(who, "out text", () -> call.getString(2));
      print(who, "out amount", () -> call.getBigDecimal(3));
    }
  }

  private static void print(String who, String what, Reading reading) {
    Object found;
    try {
      found = reading.value();
    } catch (SQLException refused) {
      found = "refused " + refused.getSQLState();
    } catch (NumberFormatException unreadable) {
      found = "no number";
    }
    if (found instanceof byte[] bytes) {
      found = Envelope.is(bytes) ? "envelope" : new String(bytes, StandardCharsets.UTF_8);
    }
    System.out.println(who + ": " + what + ": " + found);
  }
}
