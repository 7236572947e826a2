package io.encbench.tpcc.schema;

import io.encbench.tpcc.random.Constants;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * What BenchmarkSQL's table {@code bmsql_config} says about the data: how much, and its constants.
 */
public record Configuration(int warehouses, Constants constants) {
  private static final String WAREHOUSES = "warehouses";
  private static final String LAST_NAME = "nURandCLast";
  private static final String CUSTOMER = "nURandCC_ID";
  private static final String ITEM = "nURandCI_ID";

  /** Reads it; the exception says so if there is no such table or an entry is missing. */
  public static Configuration read(Connection connection) throws SQLException {
    Map<String, Integer> entries = new HashMap<>();
    try (PreparedStatement select =
            connection.prepareStatement("SELECT cfg_name, cfg_value FROM bmsql_config");
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        entries.put(rows.getString(1), Integer.valueOf(rows.getString(2).strip()));
      }
    }
    connection.rollback();
    for (String name : new String[] {WAREHOUSES, LAST_NAME, CUSTOMER, ITEM}) {
      if (!entries.containsKey(name)) {
        throw new SQLException(
            "the table bmsql_config has no entry " + name + ", which a load writes at its end");
      }
    }
    return new Configuration(
        entries.get(WAREHOUSES),
        new Constants(entries.get(LAST_NAME), entries.get(CUSTOMER), entries.get(ITEM)));
  }

  /** Writes it and commits. */
  public void write(Connection connection) throws SQLException {
    Map<String, Integer> entries =
        Map.of(
            WAREHOUSES, warehouses,
            LAST_NAME, constants.lastName(),
            CUSTOMER, constants.customer(),
            ITEM, constants.item());
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO bmsql_config VALUES (?, ?)")) {
      for (Map.Entry<String, Integer> entry : entries.entrySet()) {
        insert.setString(1, entry.getKey());
        insert.setString(2, entry.getValue().toString());
        insert.executeUpdate();
      }
    }
    connection.commit();
  }
}
