package io.encbench.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Every getter on every type, of the inner driver in plaintext and of ours on envelopes.
 *
 * <p>A program for the contract test: {@code ServerConformance stored|through USER PASSWORD_FILE
 * MEK_FILE AES|SM4 PLAIN_URL [PROXY_URL]}. With {@code stored} the envelopes lie in a table; with
 * {@code through} a proxy makes them of the plain one's, all of whose columns it encrypts. It
 * prints a line for each difference and at last how much was compared.
 */
final class ServerConformance {
  static final String PLAIN = "conformance";

  /** An envelope in a table does not say that its column had one digit. */
  private static final String TRUTH = "truth_";

  private static final String ZERO = "zero_datetime";

  private static final String FILLED = "filled_";

  private static final String SEALED = "conformance_sealed";

  private static final int UTF8MB4 = 45;
  private static final int LATIN1 = 8;
  private static final int ASCII = 11;
  private static final int BINARY = 63;
  private static final int UNSIGNED = 0x20;
  private static final int ZEROFILL = 0x40;
  private static final int UNKNOWN_TABLE = 1051;
  private static final int BLOB = 0x10;

  /**
   * A column as it is declared and as the server describes it.
   *
   * @param values SQL, one for each row after the one of NULLs
   */
  private record Column(
      String name,
      String declared,
      int type,
      int decimals,
      int flags,
      int collation,
      List<String> values) {}

  private static final List<Column> COLUMNS =
      List.of(
          // What TPC-C and sysbench have; the Python side knows them by this prefix.
          number("core_int", "INT", 3, 0, "0", "2147483647", "-1"),
          number("core_dec2", "DECIMAL(12,2)", 246, 2, "300000.00", "-10.05", "9999999999.99"),
          number("core_dec4", "DECIMAL(4,4)", 246, 4, "0.0500", "0.0000", "-0.9999"),
          number("core_dec52", "DECIMAL(5,2)", 246, 2, "1.00", "100.00", "-0.50"),
          text("core_char", "CHAR(9)", 254, 0, UTF8MB4, "'123411111'", "'GC'", "''"),
          text(
              "core_varchar",
              "VARCHAR(500)",
              253,
              0,
              UTF8MB4,
              "'BARBAROUGHT'",
              "'7'",
              "'Grüße 😀'"),
          text(
              "core_sysbench",
              "CHAR(120)",
              254,
              0,
              UTF8MB4,
              "'68487932199-96439406143'",
              "'1'",
              "'0'"),
          text(
              "core_number",
              "VARCHAR(24)",
              253,
              0,
              UTF8MB4,
              "'12.7'",
              "'-3'",
              "'2024-01-01 10:11:12'"),
          new Column(
              "core_timestamp",
              "TIMESTAMP NULL",
              7,
              0,
              0x80 | UNSIGNED,
              BINARY,
              List.of("'2024-01-01 00:00:00'", "'2026-11-21 16:43:05'", "'1999-12-31 23:59:59'")),
          number("tinyint_", "TINYINT", 1, 0, "1", "-128", "0"),
          number(TRUTH, "TINYINT(1)", 1, 0, "1", "0", "1"),
          number("smallint_", "SMALLINT", 2, 0, "1", "-32768", "127"),
          number("mediumint_", "MEDIUMINT", 9, 0, "1", "-8388608", "40000"),
          number("bigint_", "BIGINT", 8, 0, "9223372036854775807", "-9223372036854775808", "5"),
          unsigned("uint", "INT UNSIGNED", 3, "4294967295", "0", "1"),
          unsigned("ubigint", "BIGINT UNSIGNED", 8, "18446744073709551615", "0", "1"),
          number(
              "dec10",
              "DECIMAL(30,10)",
              246,
              10,
              "0.0000000001",
              "12345678901234567890.0123456789",
              "0"),
          number("double_", "DOUBLE", 5, 31, "1.5", "-1e300", "0.1"),
          number("float_", "FLOAT", 4, 31, "1.5", "-2", "0.1"),
          moment("date_", "DATE", 10, 0, "'2024-02-29'", "'1999-12-31'", "'1000-01-01'"),
          moment("time_", "TIME", 11, 0, "'12:34:56'", "'00:00:00'", "'23:59:59'"),
          moment("time_span", "TIME", 11, 0, "'34:00:00'", "'-01:30:00'", "'838:59:59'"),
          moment("time6", "TIME(6)", 11, 6, "'12:34:56.000007'", "'-00:00:00.5'", "'00:00:00'"),
          moment(
              "datetime_",
              "DATETIME",
              12,
              0,
              "'2024-02-29 01:02:03'",
              "'1999-12-31 23:59:59'",
              "'2024-07-01 00:00:00'"),
          moment(
              "datetime6",
              "DATETIME(6)",
              12,
              6,
              "'2024-02-29 01:02:03.000004'",
              "'1999-12-31 23:59:59'",
              "'2024-07-01 00:00:00.5'"),
          moment(
              ZERO,
              "DATETIME",
              12,
              0,
              "'0000-00-00 00:00:00'",
              "'2024-02-29 01:02:03'",
              "'0000-00-00 00:00:00'"),
          new Column(
              "year_", "YEAR", 13, 0, UNSIGNED | ZEROFILL, BINARY, List.of("2024", "1999", "2155")),
          new Column(
              "bit8", "BIT(8)", 16, 0, UNSIGNED, BINARY, List.of("b'101'", "b'11111111'", "b'0'")),
          new Column(
              "bit64",
              "BIT(64)",
              16,
              0,
              UNSIGNED,
              BINARY,
              List.of("0xFFFFFFFFFFFFFFFE", "0x8000000000000000", "0x00000000FFFFFFFF")),
          zerofill("filled_int", "INT(8) UNSIGNED ZEROFILL", 3, 0, "5", "0", "123456789"),
          zerofill(
              "filled_dec", "DECIMAL(10,2) UNSIGNED ZEROFILL", 246, 2, "1.50", "0", "99999999"),
          text("text_", "TEXT", 252, BLOB, UTF8MB4, "'long'", "'5'", "''"),
          text(
              "latin1_",
              "VARCHAR(20) CHARACTER SET latin1",
              253,
              0,
              LATIN1,
              "'Grüße €'",
              "'x'",
              "'1'"),
          text("ascii_", "VARCHAR(20) CHARACTER SET ascii", 253, 0, ASCII, "'plain'", "'x'", "'1'"),
          text("enum_", "ENUM('one','two')", 254, 0x100, UTF8MB4, "'one'", "'two'", "'one'"),
          text("varbinary_", "VARBINARY(30)", 253, 0x80, BINARY, "X'00ff10'", "'12'", "''"),
          text("blob_", "BLOB", 252, BLOB | 0x80, BINARY, "X'00ff10'", "'12'", "''"));

  /** MariaDB's is a LONGTEXT by another name. */
  private static final Column JSON_OF_MYSQL =
      text(
          "json_",
          "JSON",
          245,
          BLOB | 0x80,
          BINARY,
          "'{\"name\": \"Grüße 😀\"}'",
          "'5'",
          "'\"plain\"'");

  private final List<Column> columns = new ArrayList<>(COLUMNS);
  private final Properties properties = new Properties();
  private final String mekFile;
  private final Seal seal;

  /** Whether the server sends all texts to this driver in utf8mb4, whatever they are stored in. */
  private final boolean converted;

  private final boolean binaryProtocol;

  /** Whether a proxy says what the columns are; an envelope in a table has to be read for that. */
  private final boolean announced;

  private int compared;

  private ServerConformance(
      String user,
      String passwordFile,
      String mekFile,
      String algorithm,
      String url,
      boolean announced)
      throws Exception {
    this.announced = announced;
    converted = url.startsWith("jdbc:mariadb:");
    binaryProtocol = url.contains("useServerPrepStmts=true");
    properties.setProperty("user", user);
    properties.setProperty("password", Files.readString(Path.of(passwordFile)).strip());
    this.mekFile = mekFile;
    this.seal =
        new Seal(
            HexFormat.of().parseHex(Files.readString(Path.of(mekFile)).strip()),
            algorithm.equals("AES") ? Seal.AES : Seal.SM4);
  }

  public static void main(String[] words) throws Exception {
    if (words[0].equals("columns")) {
      List<Column> all = new ArrayList<>(COLUMNS);
      all.add(JSON_OF_MYSQL);
      all.forEach(column -> System.out.println(PLAIN + "." + column.name));
      return;
    }
    boolean stored = words[0].equals("stored");
    ServerConformance one =
        new ServerConformance(words[1], words[2], words[3], words[4], words[5], !stored);
    try (Connection plain = DriverManager.getConnection(one.textual(words[5]), one.properties)) {
      if (!plain.getMetaData().getDatabaseProductVersion().contains("MariaDB")) {
        one.columns.add(JSON_OF_MYSQL);
      }
      one.create(plain, stored);
    }
    one.compare(words[5], words[stored ? 5 : 6], stored);
    int sealed = one.sealed(words[stored ? 5 : 6], stored ? SEALED : PLAIN);
    System.out.println("compared " + one.compared + " sealed " + sealed);
  }

  /** How many values the inner driver sees as envelopes; if it saw none, nothing was shown. */
  private int sealed(String url, String table) throws SQLException {
    int sealed = 0;
    try (Connection plain = DriverManager.getConnection(url, properties);
        Statement statement = plain.createStatement();
        ResultSet rows = statement.executeQuery(select(table))) {
      while (rows.next()) {
        for (int i = 0; i < columns.size(); i++) {
          sealed += Envelope.is(rows.getBytes(i + 2)) ? 1 : 0;
        }
      }
    }
    return sealed;
  }

  /** Connector/J, which hands out the bytes of the text protocol whatever a column's type is. */
  private String textual(String url) {
    return url.replaceFirst("[?].*", "").replaceFirst("^jdbc:[a-z]+:", "jdbc:mysql:")
        + "?sslMode=DISABLED&allowPublicKeyRetrieval=true"
        + (converted ? "&characterSetResults=UTF-8" : "");
  }

  private void compare(String plainUrl, String url, boolean stored) throws SQLException {
    String table = stored ? SEALED : PLAIN;
    Properties ours = new Properties();
    ours.putAll(properties);
    ours.setProperty("encbench.mekFile", mekFile);
    ours.setProperty("encbench.stored", String.valueOf(stored));
    try (Connection plain = DriverManager.getConnection(plainUrl, properties);
        Connection sealed = DriverManager.getConnection("jdbc:encbench:" + url, ours)) {
      try (Statement one = plain.createStatement();
          Statement other = sealed.createStatement();
          ResultSet expected = one.executeQuery(select(PLAIN));
          ResultSet found = other.executeQuery(select(table))) {
        compare("text", expected, found);
      }
      if (announced) {
        warnings(sealed);
      }
      try (PreparedStatement one = plain.prepareStatement(select(PLAIN));
          PreparedStatement other = sealed.prepareStatement(select(table));
          ResultSet expected = one.executeQuery();
          ResultSet found = other.executeQuery()) {
        compare("prepared", expected, found);
        if (announced) {
          metadata("statement", one.getMetaData(), other.getMetaData());
        }
      }
    }
  }

  /** The inner driver asks for them itself, and reads level and number. */
  private void warnings(Connection sealed) throws SQLException {
    try (Statement statement = sealed.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS nothing_of_that_name");
      SQLWarning warning = statement.getWarnings();
      if (warning == null || warning.getErrorCode() != UNKNOWN_TABLE) {
        System.out.println("different warnings " + warning);
      }
    }
  }

  private void compare(String how, ResultSet expected, ResultSet found) throws SQLException {
    if (announced) {
      metadata(how + " before any row", expected.getMetaData(), found.getMetaData());
    }
    while (expected.next()) {
      if (!found.next()) {
        throw new IllegalStateException("a row is missing");
      }
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        Map<String, String> wanted = Getters.outcomes(expected, i + 2, column.name);
        Map<String, String> got = Getters.outcomes(found, i + 2, column.name);
        for (String getter : wanted.keySet()) {
          compared++;
          // Where the inner driver refuses, ours may know more.
          boolean given = !wanted.get(getter).equals(Getters.THROWS);
          if (given
              && !exempt(how, column, getter)
              && !wanted.get(getter).equals(got.get(getter))) {
            System.out.printf(
                "different %s %s %s: inner %s, ours %s%n",
                how, column.name, getter, wanted.get(getter), got.get(getter));
          }
        }
      }
    }
    metadata(how, expected.getMetaData(), found.getMetaData());
  }

  /**
   * What differs for a reason. The binary protocol's bytes and floats are not the text form's,
   * which is all that an envelope has: Connector/J hands out numbers and times with the bytes of
   * that protocol, and both drivers widen its floats. MariaDB's driver finds a time in "12.7", and
   * with the binary protocol a wrong day in a TIME. It drops whole days from a TIME's LocalDateTime
   * and not from its Timestamp, makes a Duration of a date's day and time, and says wasNull of a
   * zero date whose text it gives. A number with ZEROFILL has the server's own zeros here;
   * Connector/J fills it to a length that an envelope does not say, and MariaDB's driver takes 000
   * for true.
   */
  private boolean exempt(String how, Column column, String getter) {
    if (!announced && column.name.equals(TRUTH)) {
      return true;
    }
    if (column.name.startsWith(FILLED) && getter.matches(".*(String|Clob|Boolean).*")) {
      return true;
    }
    if (how.equals("prepared") && binaryProtocol) {
      boolean bytes = getter.matches("(getBytes|getBlob|getObject byte..)( by label)?");
      boolean floating = column.type == 4 || column.type == 5;
      boolean time = column.type == 11 && getter.contains("Timestamp");
      if (floating || (converted ? time : bytes && column.type < 15)) {
        return true;
      }
    }
    boolean span = column.name.equals("time_span") && getter.matches(".*(LocalDate|ZonedDate).*");
    boolean dated = column.type != 11 && getter.contains("Duration");
    boolean zero = column.name.equals(ZERO) && getter.contains("String");
    boolean number = column.name.equals("core_number") && getter.contains("Time");
    return converted && (span || dated || zero || number);
  }

  private void metadata(String how, ResultSetMetaData expected, ResultSetMetaData found)
      throws SQLException {
    for (int i = 2; i <= expected.getColumnCount(); i++) {
      if (!announced && expected.getColumnLabel(i).equals(TRUTH)) {
        continue;
      }
      List<Object> wanted = described(expected, i);
      List<Object> got = described(found, i);
      compared++;
      if (!wanted.equals(got)) {
        System.out.printf(
            "different %s %s metadata: inner %s, ours %s%n",
            how, expected.getColumnLabel(i), wanted, got);
      }
    }
  }

  private List<Object> described(ResultSetMetaData meta, int column) throws SQLException {
    boolean decimal = announced && meta.getColumnType(column) == Types.DECIMAL;
    return List.of(
        decimal ? meta.getPrecision(column) : "",
        meta.getColumnLabel(column),
        meta.getColumnName(column),
        meta.getColumnType(column),
        meta.getColumnTypeName(column),
        meta.getColumnClassName(column),
        meta.getScale(column),
        meta.isSigned(column),
        meta.isNullable(column));
  }

  private String select(String table) {
    List<String> names = new ArrayList<>(List.of("number"));
    columns.forEach(column -> names.add(column.name));
    return "SELECT " + String.join(", ", names) + " FROM " + table + " ORDER BY number";
  }

  private void create(Connection plain, boolean stored) throws SQLException {
    try (Statement statement = plain.createStatement()) {
      // MySQL stores no zero dates otherwise.
      statement.execute("SET SESSION sql_mode = ''");
      statement.execute("DROP TABLE IF EXISTS " + PLAIN);
      statement.execute("DROP TABLE IF EXISTS " + SEALED);
      StringBuilder declared = new StringBuilder("number INT PRIMARY KEY");
      StringBuilder sealed = new StringBuilder(declared);
      StringBuilder nulls = new StringBuilder("0");
      for (Column column : columns) {
        declared.append(", ").append(column.name).append(' ').append(column.declared);
        sealed.append(", ").append(column.name).append(" VARBINARY(1000)");
        nulls.append(", NULL");
      }
      String set = " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
      statement.execute("CREATE TABLE " + PLAIN + " (" + declared + ")" + set);
      statement.execute("CREATE TABLE " + SEALED + " (" + sealed + ")" + set);
      statement.execute("INSERT INTO " + PLAIN + " VALUES (" + nulls + ")");
      for (int row = 0; row < 3; row++) {
        StringBuilder values = new StringBuilder(String.valueOf(row + 1));
        for (Column column : columns) {
          values.append(", ").append(column.values.get(row));
        }
        statement.execute("INSERT INTO " + PLAIN + " VALUES (" + values + ")");
      }
    }
    if (stored) {
      fill(plain);
    }
  }

  /** Envelopes of what the text protocol said. */
  private void fill(Connection plain) throws SQLException {
    String places = ", ?".repeat(columns.size()).substring(2);
    try (Statement select = plain.createStatement();
        PreparedStatement insert =
            plain.prepareStatement("INSERT INTO " + SEALED + " VALUES (?, " + places + ")");
        ResultSet rows = select.executeQuery(select(PLAIN))) {
      while (rows.next()) {
        insert.setInt(1, rows.getInt(1));
        for (int i = 0; i < columns.size(); i++) {
          Column of = columns.get(i);
          byte[] text = rows.getBytes(i + 2);
          insert.setBytes(
              i + 2,
              text == null
                  ? null
                  : seal.seal(
                      of.type,
                      of.decimals,
                      of.flags,
                      converted && of.collation != BINARY ? UTF8MB4 : of.collation,
                      text,
                      new Binding(SEALED, of.name)));
        }
        insert.executeUpdate();
      }
    }
  }

  private static Column number(
      String name, String declared, int type, int decimals, String... values) {
    return new Column(name, declared, type, decimals, 0x80, BINARY, List.of(values));
  }

  private static Column unsigned(String name, String declared, int type, String... values) {
    return new Column(name, declared, type, 0, 0x80 | UNSIGNED, BINARY, List.of(values));
  }

  private static Column zerofill(
      String name, String declared, int type, int decimals, String... values) {
    int flags = 0x80 | UNSIGNED | ZEROFILL;
    return new Column(name, declared, type, decimals, flags, BINARY, List.of(values));
  }

  private static Column moment(
      String name, String declared, int type, int decimals, String... values) {
    return new Column(name, declared, type, decimals, 0x80, BINARY, List.of(values));
  }

  private static Column text(
      String name, String declared, int type, int flags, int collation, String... values) {
    return new Column(name, declared, type, 0, flags, collation, List.of(values));
  }
}
