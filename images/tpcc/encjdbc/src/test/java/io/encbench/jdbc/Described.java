package io.encbench.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Prints what a connection's metadata says of the types of a table's columns and of a procedure's
 * parameters: {@code Described URL USER PASSWORD_FILE TABLE PROCEDURE [any]}. With {@code any} it
 * names no catalogue.
 */
final class Described {
  private Described() {}

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", words[1]);
    properties.setProperty("password", Files.readString(Path.of(words[2])).strip());
    try (Connection connection = DriverManager.getConnection(words[0], properties)) {
      DatabaseMetaData meta = connection.getMetaData();
      String catalog = words.length > 5 ? null : connection.getCatalog();
      print(meta.getColumns(catalog, null, words[3], "%"), "COLUMN_SIZE");
      print(meta.getProcedureColumns(catalog, null, words[4], "%"), "PRECISION");
    }
  }

  private static void print(ResultSet rows, String size) throws SQLException {
    while (rows.next()) {
      System.out.printf(
          "%s %d %s %d%n",
          rows.getString("COLUMN_NAME"),
          rows.getInt("DATA_TYPE"),
          rows.getString("TYPE_NAME"),
          rows.getInt(size));
    }
  }
}
