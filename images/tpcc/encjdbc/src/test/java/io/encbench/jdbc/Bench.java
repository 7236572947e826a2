package io.encbench.jdbc;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * One arm of {@code make bench-encjdbc}: a client that asks for one row of eight columns at a time,
 * or for a hundred rows of four.
 *
 * <p>{@code Bench URL TABLE USER PASSWORD_FILE typed|text|many [MEK_FILE [AES|SM4|NONE]]}. It waits
 * for lines on its input: {@code prepare} fills its table, {@code seal} does so with envelopes, and
 * a number runs so many queries, after which it prints a checksum of what was read. Each arm is a
 * process of its own, so that none is compiled for the sake of another; those that are not asked
 * only wait. NONE is no cryptography at all.
 */
final class Bench {
  private static final int ROWS = 1000;

  /** Rows of a query that asks for many. */
  private static final int MANY = 100;

  private static final String COLUMNS =
      "c_id, c_d_id, c_discount, c_credit, c_last, c_balance, c_since, c_city";

  private static final String SOME_COLUMNS = "c_id, c_last, c_balance, c_city";

  /** Type code, decimals, flags and collation of each column as the server says them. */
  private static final Map<String, int[]> DESCRIBED =
      Map.of(
          "c_id", new int[] {3, 0, 0x80, 63},
          "c_d_id", new int[] {3, 0, 0x80, 63},
          "c_discount", new int[] {246, 4, 0x80, 63},
          "c_credit", new int[] {254, 0, 0, 45},
          "c_last", new int[] {253, 0, 0, 45},
          "c_balance", new int[] {246, 2, 0x80, 63},
          "c_since", new int[] {7, 0, 0xA0, 63},
          "c_city", new int[] {253, 0, 0, 45});

  private final String table;
  private final String how;

  private Bench(String table, String how) {
    this.table = table;
    this.how = how;
  }

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", words[2]);
    properties.setProperty("password", Files.readString(Path.of(words[3])).strip());
    if (words[0].startsWith("jdbc:encbench:") && words.length > 5) {
      properties.setProperty("encbench.mekFile", words[5]);
      properties.setProperty("encbench.stored", "true");
    }
    Bench bench = new Bench(words[1], words[4]);
    String algorithm = words.length > 6 ? words[6] : "";
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (Connection connection =
        Target.isOurs(words[0]) && algorithm.equals("NONE")
            ? Copying.connected(words[0], properties)
            : DriverManager.getConnection(words[0], properties)) {
      System.out.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("prepare")) {
          bench.prepare(connection);
        } else if (line.equals("seal")) {
          byte[] key = HexFormat.of().parseHex(Files.readString(Path.of(words[5])).strip());
          bench.seal(connection, new Seal(key, number(algorithm)));
        } else {
          System.out.println(bench.run(connection, Integer.parseInt(line)));
        }
        if (!Character.isDigit(line.charAt(0))) {
          System.out.println("done");
        }
      }
    }
  }

  private static int number(String algorithm) {
    return switch (algorithm) {
      case "AES" -> Seal.AES;
      case "SM4" -> Seal.SM4;
      default -> Seal.NONE;
    };
  }

  private long run(Connection connection, int queries) throws SQLException {
    return how.equals("many") ? runMany(connection, queries) : runOne(connection, queries);
  }

  private long runOne(Connection connection, int queries) throws SQLException {
    boolean typed = how.equals("typed");
    long checksum = 0;
    try (PreparedStatement select =
        connection.prepareStatement("SELECT " + COLUMNS + " FROM " + table + " WHERE number = ?")) {
      for (int i = 0; i < queries; i++) {
        select.setInt(1, i % ROWS);
        try (ResultSet row = select.executeQuery()) {
          row.next();
          checksum += typed ? typed(row) : text(row);
        }
      }
    }
    return checksum;
  }

  private long runMany(Connection connection, int queries) throws SQLException {
    long checksum = 0;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT " + SOME_COLUMNS + " FROM " + table + " WHERE number BETWEEN ? AND ?")) {
      for (int i = 0; i < queries; i++) {
        int first = i * MANY % ROWS;
        select.setInt(1, first);
        select.setInt(2, first + MANY - 1);
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            checksum +=
                row.getInt(1)
                    + row.getString(2).hashCode()
                    + row.getBigDecimal(3).unscaledValue().longValue()
                    + row.getString(4).hashCode();
          }
        }
      }
    }
    return checksum;
  }

  private static long typed(ResultSet row) throws SQLException {
    return row.getInt(1)
        + row.getInt(2)
        + row.getBigDecimal(3).unscaledValue().longValue()
        + row.getString(4).hashCode()
        + row.getString(5).hashCode()
        + row.getBigDecimal(6).unscaledValue().longValue()
        + row.getTimestamp(7).getTime()
        + row.getString(8).hashCode();
  }

  private static long text(ResultSet row) throws SQLException {
    long sum = 0;
    for (int column = 1; column <= 8; column++) {
      sum += row.getString(column).hashCode();
    }
    return sum;
  }

  /** The same rows for every arm; through a driver that rewrites statements it encrypts them. */
  private void prepare(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO " + table + " (number, " + COLUMNS + ") VALUES (?,?,?,?,?,?,?,?,?)")) {
      for (int number = 0; number < ROWS; number++) {
        insert.setInt(1, number);
        List<Object> values = values(number);
        for (int i = 0; i < values.size(); i++) {
          insert.setObject(i + 2, values.get(i));
        }
        insert.executeUpdate();
      }
    }
  }

  private static List<Object> values(int number) {
    return List.of(
        number * 3,
        number % 10 + 1,
        new BigDecimal(number % 5000).movePointLeft(4),
        number % 10 == 0 ? "BC" : "GC",
        "BAROUGHTABLE" + number,
        new BigDecimal(-1000 + number).movePointLeft(2),
        Timestamp.valueOf("2024-01-01 00:00:00"),
        "City of number " + number);
  }

  /**
   * Fills a table of envelopes from the plain one, as text.
   *
   * <p>Those of the columns that are read, so that the values of a result are numbered as a proxy
   * numbers them.
   */
  private void seal(Connection connection, Seal seal) throws SQLException {
    String columns = how.equals("many") ? SOME_COLUMNS : COLUMNS;
    List<String> names = List.of(columns.split(", "));
    String places = ", ?".repeat(names.size());
    try (Statement select = connection.createStatement();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO " + table + " (number, " + columns + ") VALUES (?" + places + ")");
        ResultSet rows = select.executeQuery("SELECT number, " + columns + " FROM bench_plain")) {
      List<Binding> bindings = names.stream().map(name -> new Binding(table, name)).toList();
      while (rows.next()) {
        insert.setInt(1, rows.getInt(1));
        for (int i = 0; i < names.size(); i++) {
          int[] of = DESCRIBED.get(names.get(i));
          insert.setBytes(
              i + 2, seal.seal(of[0], of[1], of[2], of[3], rows.getBytes(i + 2), bindings.get(i)));
        }
        insert.executeUpdate();
      }
    }
  }
}
