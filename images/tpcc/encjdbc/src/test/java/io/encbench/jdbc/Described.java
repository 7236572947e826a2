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
 * parameters, and of the foreign keys from a table to its parent: {@code Described URL USER
 * PASSWORD_FILE TABLE PROCEDURE PARENT [any]}. With {@code any} it names no catalogue.
 */
final class Described {
  private Described() {}

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", words[1]);
    properties.setProperty("password", Files.readString(Path.of(words[2])).strip());
    try (Connection connection = DriverManager.getConnection(words[0], properties)) {
      DatabaseMetaData meta = connection.getMetaData();
      String catalog = words.length > 6 ? null : connection.getCatalog();
      print(meta.getColumns(catalog, null, words[3], "%"), "COLUMN_SIZE");
      print(meta.getProcedureColumns(catalog, null, words[4], "%"), "PRECISION");
      printKeys("imported", meta.getImportedKeys(catalog, null, words[3]));
      printKeys("exported", meta.getExportedKeys(catalog, null, words[5]));
      printKeys(
          "between", meta.getCrossReference(catalog, null, words[5], catalog, null, words[3]));
      printKeys(
          "backwards", meta.getCrossReference(catalog, null, words[3], catalog, null, words[5]));
    }
  }

  private static void printKeys(String which, ResultSet rows) throws SQLException {
    while (rows.next()) {
      System.out.printf(
          "%s %s: %s.%s to %s.%s, %d %d %d%n",
          which,
          rows.getString("FK_NAME"),
          rows.getString("FKTABLE_NAME"),
          rows.getString("FKCOLUMN_NAME"),
          rows.getString("PKTABLE_NAME"),
          rows.getString("PKCOLUMN_NAME"),
          rows.getInt("KEY_SEQ"),
          rows.getInt("UPDATE_RULE"),
          rows.getInt("DELETE_RULE"));
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
