package io.encbench.tpcc.check;

import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.schema.Columns;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Digests of known rows as they come out of the driver.
 *
 * <p>With an encrypting driver they say that it decrypts what was loaded: others compute the same
 * from a session of their own. {@code docs/design/0007-columns.md} has the rows and the form.
 */
public final class ColumnProbe {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
  private static final String SEPARATOR = "\u001f";
  private static final String NOTHING = "\\N";
  private static final String ABSENT = "absent";

  /**
   * A row that no transaction removes, but for a new order.
   *
   * @param changed the columns that some transaction changes
   */
  private record Row(String table, String condition, Set<String> changed) {}

  private static final List<Row> ROWS =
      List.of(
          new Row("bmsql_config", "WHERE cfg_name = 'warehouses'", Set.of()),
          new Row("bmsql_warehouse", "WHERE w_id = 1", Set.of("w_ytd")),
          new Row(
              "bmsql_district", "WHERE d_w_id = 1 AND d_id = 1", Set.of("d_ytd", "d_next_o_id")),
          new Row(
              "bmsql_customer",
              "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
              Set.of("c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data")),
          new Row("bmsql_history", "ORDER BY hist_id LIMIT 1", Set.of()),
          new Row(
              "bmsql_new_order", "WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 3000", Set.of()),
          new Row("bmsql_oorder", "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 1", Set.of()),
          new Row(
              "bmsql_order_line",
              "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
              Set.of()),
          new Row("bmsql_item", "WHERE i_id = 1", Set.of()),
          new Row(
              "bmsql_stock",
              "WHERE s_w_id = 1 AND s_i_id = 1",
              Set.of("s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt")));

  private final Database database;
  private final Output output;

  public ColumnProbe(Database database, Output output) {
    this.database = database;
    this.output = output;
  }

  /** Reads every row on a connection of its own and prints a line for it. */
  public void print() throws SQLException {
    try (Connection connection = database.open()) {
      for (Row row : ROWS) {
        output.plain("encbench-columns " + row.table + " " + digest(connection, row));
      }
      connection.rollback();
    }
  }

  private String digest(Connection connection, Row row) throws SQLException {
    List<Columns.Column> columns =
        Columns.of(database.dialect(), row.table).stream()
            .filter(column -> !row.changed.contains(column.name()))
            .toList();
    String names = columns.stream().map(Columns.Column::name).collect(Collectors.joining(", "));
    try (PreparedStatement select =
            connection.prepareStatement(
                "SELECT " + names + " FROM " + row.table + " " + row.condition);
        ResultSet found = select.executeQuery()) {
      if (!found.next()) {
        return ABSENT;
      }
      List<String> values = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        String value = text(found, i + 1, columns.get(i).kind());
        values.add(found.wasNull() ? NOTHING : value);
      }
      return sha256(String.join(SEPARATOR, values));
    }
  }

  /** By the getter that suits the type, as the transactions do. */
  private static String text(ResultSet row, int column, Columns.Kind kind) throws SQLException {
    switch (kind) {
      case INTEGER:
        return Long.toString(row.getLong(column));
      case DECIMAL:
        var number = row.getBigDecimal(column);
        return number == null ? null : number.toPlainString();
      case TIMESTAMP:
        var moment = row.getTimestamp(column);
        return moment == null ? null : moment.toLocalDateTime().format(MOMENT);
      default:
        return row.getString(column);
    }
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
  }
}
