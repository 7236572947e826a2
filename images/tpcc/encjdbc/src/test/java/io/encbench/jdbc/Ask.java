package io.encbench.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * Prints a value of ServerConformance's plain table and one of its sealed table, or why it cannot:
 * {@code Ask URL USER PASSWORD_FILE [MEK_FILE]}.
 */
final class Ask {
  private Ask() {}

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", words[1]);
    properties.setProperty("password", Files.readString(Path.of(words[2])).strip());
    if (words.length > 3) {
      properties.setProperty("encbench.mekFile", words[3]);
    }
    properties.setProperty("encbench.stored", "true");
    try (Connection connection = DriverManager.getConnection(words[0], properties);
        Statement statement = connection.createStatement()) {
      for (String table : new String[] {"conformance", "conformance_sealed"}) {
        try (ResultSet row =
            statement.executeQuery("SELECT core_char FROM " + table + " WHERE number = 2")) {
          row.next();
          System.out.println(row.getString(1));
        } catch (SQLException refused) {
          System.out.println(refused.getMessage());
        }
      }
    }
  }
}
