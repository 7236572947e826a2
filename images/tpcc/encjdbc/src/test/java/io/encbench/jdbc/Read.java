package io.encbench.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Properties;

/**
 * Prints every value of a query's only row as bytes: {@code Read URL USER PASSWORD_FILE MEK_FILE
 * QUERY}.
 */
final class Read {
  private Read() {}

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", words[1]);
    properties.setProperty("password", Files.readString(Path.of(words[2])).strip());
    properties.setProperty("encbench.mekFile", words[3]);
    try (Connection connection = DriverManager.getConnection(words[0], properties);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(words[4])) {
      row.next();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        System.out.println(HexFormat.of().formatHex(row.getBytes(i)));
      }
    }
  }
}
