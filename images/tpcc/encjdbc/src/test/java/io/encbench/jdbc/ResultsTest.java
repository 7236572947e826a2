package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.util.Properties;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetMetaDataImpl;
import javax.sql.rowset.RowSetProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of the JDK's own row set as the inner driver's. */
class ResultsTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final Seal AES = new Seal(KEY, Seal.AES);
  private static final Mek MEK = new Mek(Path.of("/keys/mek"), KEY);

  static byte[] sealed(int type, int decimals, int flags, int collation, String text) {
    return sealed(AES, type, decimals, flags, collation, text);
  }

  private static byte[] sealed(
      Seal seal, int type, int decimals, int flags, int collation, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return seal.seal(type, decimals, flags, collation, bytes, new Binding());
  }

  /** One row of the server's own binary columns c1, c2 …, and a first one that is a number. */
  private static ResultSet row(Mek mek, byte[]... values) throws SQLException {
    return row(mek, true, 0, values);
  }

  /** The same as a proxy announces it, by what JDBC has for the precision. */
  private static ResultSet row(Mek mek, boolean stored, int precision, byte[]... values)
      throws SQLException {
    return row("", mek, stored, precision, values);
  }

  /** The same of a table's columns, to which values are bound. */
  private static ResultSet row(
      String table, Mek mek, boolean stored, int precision, byte[]... values) throws SQLException {
    return row(Inner.MYSQL, table, mek, stored, precision, values);
  }

  /** The same around another driver than Connector/J. */
  private static ResultSet row(
      Inner inner, String table, Mek mek, boolean stored, int precision, byte[]... values)
      throws SQLException {
    Session session = session(inner, mek, stored);
    ResultSet ours = new EncryptingResultSet(session, null, sent(table, precision, values));
    assertTrue(ours.next());
    return ours;
  }

  static Session session(Inner inner, Mek mek, boolean stored) throws SQLException {
    Options options = new Options(inner, "", new Properties());
    return new Session(inner, new Opener(mek, stored), stored, options);
  }

  /** As the inner driver has it. */
  static ResultSet sent(String table, int precision, byte[]... values) throws SQLException {
    RowSetMetaDataImpl meta = new RowSetMetaDataImpl();
    meta.setColumnCount(values.length + 1);
    meta.setColumnType(1, Types.INTEGER);
    meta.setColumnName(1, "number");
    for (int i = 0; i < values.length; i++) {
      meta.setColumnType(i + 2, Types.VARBINARY);
      meta.setColumnName(i + 2, "c" + (i + 1));
      meta.setColumnLabel(i + 2, "c" + (i + 1));
      meta.setPrecision(i + 2, precision);
      meta.setTableName(i + 2, table);
    }
    CachedRowSet rows = RowSetProvider.newFactory().createCachedRowSet();
    rows.setMetaData(meta);
    rows.moveToInsertRow();
    rows.updateInt(1, 7);
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        rows.updateNull(i + 2);
      } else {
        rows.updateBytes(i + 2, values[i]);
      }
    }
    rows.insertRow();
    rows.moveToCurrentRow();
    rows.beforeFirst();
    return rows;
  }

  private static String refusal(ResultSet rows) {
    return assertThrows(SQLException.class, () -> rows.getString(2)).getMessage();
  }

  @Test
  void valuesAreReadByNumberAndByLabel() throws SQLException {
    ResultSet rows =
        row(
            MEK,
            sealed(3, 0, 0x80, 63, "-42"),
            sealed(246, 2, 0x80, 63, "300000.00"),
            sealed(253, 0, 0, 45, "Grüße"),
            sealed(7, 0, 0x80, 63, "2024-01-01 00:00:00"));
    assertEquals(-42, rows.getInt(2));
    assertEquals(-42, rows.getInt("c1"));
    assertFalse(rows.wasNull());
    assertEquals(new BigDecimal("300000.00"), rows.getBigDecimal("c2"));
    assertEquals("Grüße", rows.getString(4));
    assertEquals(Timestamp.valueOf("2024-01-01 00:00:00"), rows.getTimestamp(5));
    assertEquals(7, rows.getInt(1));
    assertEquals(7, rows.getInt("number"));
  }

  @Test
  void aTinyintOfOneDigitIsATruth() throws SQLException {
    int announced = 1 << 30 | 1 << 24 | 1 << 22 | 1;
    ResultSet rows = row(MEK, false, announced, sealed(1, 0, 0x80, 63, "1"));
    assertEquals(Types.BIT, rows.getMetaData().getColumnType(2));
    assertEquals(Boolean.class.getName(), rows.getMetaData().getColumnClassName(2));
    assertEquals(Boolean.TRUE, rows.getObject(2));
    assertEquals(1, rows.getInt(2));
    assertEquals("1", rows.getString(2));
  }

  @Test
  void anUnsignedOneIsATruthForMariadbSDriverAlone() throws SQLException {
    int announced = 1 << 30 | 1 << 24 | 1 << 23 | 1 << 22 | 1;
    byte[] one = sealed(1, 0, 0xA0, 63, "1");
    ResultSet mariadb = row(Inner.MARIADB, "", MEK, false, announced, one);
    assertEquals(Types.BOOLEAN, mariadb.getMetaData().getColumnType(2));
    assertEquals("BOOLEAN", mariadb.getMetaData().getColumnTypeName(2));
    assertFalse(mariadb.getMetaData().isSigned(2));
    assertEquals(Boolean.TRUE, mariadb.getObject(2));
    ResultSet mysql = row(MEK, false, announced, one);
    assertEquals(Types.TINYINT, mysql.getMetaData().getColumnType(2));
    assertEquals("TINYINT UNSIGNED", mysql.getMetaData().getColumnTypeName(2));
    assertEquals(1, mysql.getObject(2));
  }

  /** A YEAR is 0000 or from 1901 on; one of two digits has the last two alone. */
  @ParameterizedTest
  @CsvSource({"0000, 2000", "69, 2069", "70, 1970", "1970, 1970", "2155, 2155"})
  void connectorJTakesAYearBelow100ForOneOfTwoDigits(String text, String year) throws SQLException {
    byte[] sealed = sealed(13, 0, 0x60, 63, text);
    ResultSet rows = row(MEK, sealed);
    assertEquals(year + "-01-01", rows.getString(2));
    assertEquals(Date.valueOf(year + "-01-01"), rows.getDate(2));
    assertEquals(Timestamp.valueOf(year + "-01-01 00:00:00"), rows.getTimestamp(2));
    assertEquals(Integer.parseInt(text), rows.getInt(2));
    assertEquals(text, row(Inner.MARIADB, "", MEK, true, 0, sealed).getString(2));
  }

  @Test
  void primitiveTypesMayBeAskedFor() throws SQLException {
    ResultSet rows = row(MEK, sealed(3, 0, 0x80, 63, "-42"));
    assertEquals(Integer.valueOf(-42), rows.getObject(2, int.class));
    assertEquals(Long.valueOf(-42), rows.getObject("c1", long.class));
    assertEquals(Double.valueOf(-42), rows.getObject(2, double.class));
  }

  @Test
  void bothAlgorithmsMayBeInOneRow() throws SQLException {
    byte[] sm4 = sealed(new Seal(KEY, Seal.SM4), 3, 0, 0, 63, "5");
    ResultSet rows = row(MEK, sealed(3, 0, 0, 63, "4"), sm4);
    assertEquals(4, rows.getInt(2));
    assertEquals(5, rows.getInt(3));
  }

  @Test
  void nothingIsNothing() throws SQLException {
    ResultSet rows = row(MEK, (byte[]) null);
    assertNull(rows.getString(2));
    assertEquals(0, rows.getInt("c1"));
    assertEquals(0.0, rows.getDouble(2));
    assertNull(rows.getBigDecimal(2));
    assertFalse(rows.getBoolean(2));
  }

  @Test
  void whatIsNoEnvelopeIsLeftAlone() throws SQLException {
    byte[] magicOnly = {0, 'E', 'N', 'C', 1, 1};
    ResultSet rows = row(null, magicOnly, new byte[60]);
    assertArrayEquals(magicOnly, rows.getBytes(2));
    assertArrayEquals(new byte[60], rows.getBytes("c2"));
  }

  @Test
  void theMetadataTellsTheTypeOnceItIsKnown() throws SQLException {
    ResultSet rows = row(MEK, sealed(246, 4, 0x80, 63, "0.0500"));
    assertEquals(Types.VARBINARY, rows.getMetaData().getColumnType(2));
    assertEquals(0.05, rows.getDouble(2));
    assertEquals(Types.DECIMAL, rows.getMetaData().getColumnType(2));
    assertEquals("DECIMAL", rows.getMetaData().getColumnTypeName(2));
    assertEquals("java.math.BigDecimal", rows.getMetaData().getColumnClassName(2));
    assertEquals(4, rows.getMetaData().getScale(2));
    assertEquals(Types.INTEGER, rows.getMetaData().getColumnType(1));
  }

  /** DECIMAL(12,2), signed, as docs/design/0007-columns.md packs it. */
  static final int DECIMAL = 0x40000000 | 0x36 << 24 | 1 << 22 | 2 << 16 | 14;

  @Test
  void theProxySaysTheTypeBeforeAnyValue() throws SQLException {
    ResultSet rows = row(MEK, false, DECIMAL, (byte[]) null);
    ResultSetMetaData meta = rows.getMetaData();
    assertEquals(Types.DECIMAL, meta.getColumnType(2));
    assertEquals("java.math.BigDecimal", meta.getColumnClassName(2));
    assertEquals(12, meta.getPrecision(2));
    assertEquals(2, meta.getScale(2));
    assertTrue(meta.isSigned(2));
    assertNull(rows.getBigDecimal(2));
  }

  /** VARCHAR(100) in utf8mb4. The proxy announces no character set, nor a collation. */
  @Test
  void ofATextTheMetadataSaysWhatIsKnown() throws SQLException {
    int text = 0x40000000 | 0x3D << 24 | 400;
    ResultSetMetaData mysql = row(MEK, false, text, (byte[]) null).getMetaData();
    assertEquals(Types.VARCHAR, mysql.getColumnType(2));
    assertEquals(400, mysql.getColumnDisplaySize(2));
    assertFalse(mysql.isCaseSensitive(2));
    ResultSetMetaData mariadb =
        row(Inner.MARIADB, "", MEK, false, text, (byte[]) null).getMetaData();
    assertEquals(100, mariadb.getColumnDisplaySize(2));
    assertTrue(mariadb.isCaseSensitive(2));
  }

  @Test
  void ofADecimalTheMetadataSaysWhatTheInnerDriverSays() throws SQLException {
    for (Inner inner : new Inner[] {Inner.MYSQL, Inner.MARIADB}) {
      ResultSetMetaData meta = row(inner, "", MEK, false, DECIMAL, (byte[]) null).getMetaData();
      assertEquals(14, meta.getColumnDisplaySize(2));
      assertTrue(meta.isCaseSensitive(2));
    }
  }

  @Test
  void anEnvelopeInAColumnThatIsNotAnnouncedIsBytes() throws SQLException {
    byte[] planted = sealed(3, 0, 0, 63, "1");
    assertArrayEquals(planted, row(MEK, false, 30, planted).getBytes(2));
  }

  @Test
  void aColumnThatIsAnnouncedHasNothingElse() throws SQLException {
    assertEquals(
        "column 2 (c1) is announced as encrypted and its value is not",
        refusal(row(MEK, false, DECIMAL, new byte[] {'1'})));
  }

  /** As Connector/J says of a LONGBLOB or a GEOMETRY, and pgJDBC of a bytea. */
  @Test
  void aColumnOfUnknownLengthIsNotAnnounced() throws SQLException {
    byte[] plain = {0, 1, 2};
    ResultSet rows = row(MEK, false, Integer.MAX_VALUE, plain);
    assertArrayEquals(plain, rows.getBytes(2));
    assertEquals(Types.VARBINARY, rows.getMetaData().getColumnType(2));
  }

  @Test
  void nothingIsAnnouncedOnPostgresql() throws SQLException {
    byte[] plain = {0, 1, 2};
    ResultSet rows = row(Inner.POSTGRESQL, "", MEK, false, DECIMAL, plain);
    assertArrayEquals(plain, rows.getBytes(2));
  }

  @Test
  void aValueOfAnotherConnectionIsRefused() throws SQLException {
    byte[] kept = sealed(new Seal(KEY, Seal.AES, "anotheranoth"), 246, 2, 0, 63, "9.00");
    byte[] otherAlgorithm = sealed(new Seal(KEY, Seal.SM4), 246, 2, 0, 63, "9.00");
    byte[] own = sealed(246, 2, 0, 63, "1.00");
    for (byte[] foreign : new byte[][] {kept, otherAlgorithm}) {
      ResultSet rows = row(MEK, false, DECIMAL, own, foreign);
      assertEquals(new BigDecimal("1.00"), rows.getBigDecimal(2));
      String said = assertThrows(SQLException.class, () -> rows.getString(3)).getMessage();
      assertTrue(said.startsWith("column 3 (c2) was encrypted for another connection"), said);
      assertEquals("1.00", rows.getString(2));
    }
  }

  /** Nothing tells an old value from a new one, so who replays a whole connection is believed. */
  @Test
  void theFirstValueDecidesWhichConnectionItIs() throws SQLException {
    byte[] kept = sealed(new Seal(KEY, Seal.AES, "anotheranoth"), 246, 2, 0, 63, "9.00");
    ResultSet rows = row(MEK, false, DECIMAL, kept, sealed(246, 2, 0, 63, "1.00"), kept);
    assertEquals("9.00", rows.getString(2));
    String said = assertThrows(SQLException.class, () -> rows.getString(3)).getMessage();
    assertTrue(said.startsWith("column 3 (c2) was encrypted for another connection"), said);
    assertEquals("9.00", rows.getString(4));
  }

  /** What does not open says nothing of the connection's key. */
  @Test
  void aForgeryDoesNotTakeTheFirstPlace() throws SQLException {
    byte[] forged = sealed(new Seal(new byte[16], Seal.AES, "anotheranoth"), 3, 0, 0, 63, "9");
    ResultSet rows = row(MEK, false, DECIMAL, forged, sealed(3, 0, 0, 63, "1"));
    assertThrows(SQLException.class, () -> rows.getString(2));
    assertEquals("1", rows.getString(3));
  }

  @Test
  void withoutAKeyTheGetterSaysWhatToDo() throws SQLException {
    String said = refusal(row(null, sealed(3, 0, 0, 63, "1")));
    assertEquals(
        "column 2 (c1) is encrypted and there is no key: name the MEK's file in the property"
            + " encbench.mekFile or in the environment's ENCBENCH_MEK_FILE",
        said);
  }

  @Test
  void withAnotherKeyTheGetterSaysSo() throws SQLException {
    Mek other = new Mek(Path.of("/keys/other"), new byte[16]);
    assertEquals(
        "column 2 (c1) does not open with the MEK in /keys/other: give the driver the key with"
            + " which the proxy encrypts; if it has that key, the value was changed or belongs to"
            + " another column",
        refusal(row(other, sealed(3, 0, 0, 63, "1"))));
  }

  /** Whoever stands between proxy and client can pass on a value, but only where it belongs. */
  @Test
  void exchangedValuesOfOneTypeAreRefused() throws SQLException {
    byte[] first = bound("item", "c1", "1");
    byte[] second = bound("item", "c2", "2");
    ResultSet rows = row("item", MEK, true, 0, first, second);
    assertEquals("1", rows.getString(2));
    assertEquals("2", rows.getString(3));
    String said = refusal(row("item", MEK, true, 0, second, first));
    assertTrue(said.startsWith("column 2 (c1) does not open with the MEK in /keys/mek"), said);
    assertTrue(refusal(row("stock", MEK, true, 0, first, second)).contains("does not open"));
  }

  /** A routine has results of several tables, and a table may be altered. */
  @Test
  void eachResultOfAStatementIsBoundToItsOwnColumns() throws SQLException {
    EncryptingStatement statement = new EncryptingStatement(session(Inner.MYSQL, MEK, true), null);
    for (String table : new String[] {"item", "item", "stock", "item"}) {
      byte[] first = bound(table, "c1", "1");
      byte[] second = bound(table, "c2", "2");
      ResultSet rows = statement.wrap(sent(table, 0, first, second));
      assertTrue(rows.next());
      assertEquals("1", rows.getString(2));
      assertEquals("2", rows.getString(3));
      ResultSet swapped = statement.wrap(sent(table, 0, second));
      assertTrue(swapped.next());
      assertTrue(refusal(swapped).contains("does not open"));
    }
  }

  /** Of a column that was read before, a header is compared with the one that is known. */
  @Test
  void everyByteOfEachHeaderCounts() throws SQLException {
    EncryptingStatement statement = new EncryptingStatement(session(Inner.MYSQL, MEK, true), null);
    byte[] good = bound("item", "c1", "1");
    for (int at = Envelope.VERSION_AT; at < Envelope.HEADER_BYTES; at++) {
      byte[] changed = good.clone();
      changed[at] ^= 1;
      ResultSet rows = statement.wrap(sent("item", 0, changed));
      assertTrue(rows.next());
      assertTrue(refusal(rows).startsWith("column 2 (c1) "), "byte " + at);
      rows = statement.wrap(sent("item", 0, good));
      assertTrue(rows.next());
      assertEquals("1", rows.getString(2));
    }
  }

  private static byte[] bound(String table, String column, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return AES.seal(3, 0, 0, 63, bytes, new Binding(table, column));
  }

  @Test
  void anEnvelopeOfTheFutureIsRefused() throws SQLException {
    byte[] version = sealed(3, 0, 0, 63, "1");
    version[4] = 3;
    assertTrue(refusal(row(MEK, version)).contains("version 3"));
    byte[] algorithm = sealed(3, 0, 0, 63, "1");
    algorithm[5] = 9;
    assertTrue(refusal(row(MEK, algorithm)).contains("algorithm 9"));
  }

  /** MySQL defines such a column with the character set of binary strings. */
  @Test
  void jsonIsUtf8() throws SQLException {
    String text = "{\"name\": \"Grüße 😀\"}";
    ResultSet rows = row(MEK, sealed(245, 0, 0x90, 63, text));
    assertEquals(text, rows.getString(2));
    assertEquals(text, rows.getObject(2));
  }

  @ParameterizedTest
  @CsvSource({
    "12:34:56, PT12H34M56S",
    "34:00:00, PT34H",
    "-01:30:00.5, PT-1H-30M-0.5S",
    "838:59:59, PT838H59M59S"
  })
  void aTimeIsADuration(String text, Duration duration) throws SQLException {
    for (int type : new int[] {11, 253}) {
      ResultSet rows = row(MEK, sealed(type, 0, 0, 63, text));
      assertEquals(duration, rows.getObject(2, Duration.class));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "12", ":1:00000", "1:2:34:56", "2024-01-01", "ab:cd:ef"})
  void whatIsNoTimeIsNoDuration(String text) throws SQLException {
    ResultSet rows = row(MEK, sealed(253, 0, 0, 63, text));
    String said =
        assertThrows(SQLException.class, () -> rows.getObject(2, Duration.class)).getMessage();
    assertTrue(said.endsWith("cannot be read as a Duration"), said);
  }

  @Test
  void aZeroDateIsNullForMariadbSDriver() throws SQLException {
    byte[] zero = sealed(12, 0, 0x80, 63, "0000-00-00 00:00:00");
    ResultSet rows = row(Inner.MARIADB, "", MEK, true, 0, zero, sealed(3, 0, 0, 63, "1"));
    assertNull(rows.getTimestamp(2));
    assertTrue(rows.wasNull());
    assertEquals(1, rows.getInt(3));
    assertFalse(rows.wasNull());
    assertNull(rows.getTimestamp("c1"));
    assertEquals(7, rows.getInt(1));
    assertFalse(rows.wasNull());
    assertEquals("0000-00-00 00:00:00", rows.getString(2));
    assertFalse(rows.wasNull());
  }

  @Test
  void aCharacterSetThatIsNotKnownIsRefused() throws SQLException {
    assertTrue(refusal(row(MEK, sealed(253, 0, 0, 28, "x"))).contains("collation 28"));
  }

  @Test
  void whatDoesNotFitIsRefused() throws SQLException {
    ResultSet rows =
        row(MEK, sealed(8, 0, 0, 63, "3000000000"), sealed(7, 0, 0, 63, "2024-01-01 00:00:00"));
    assertEquals(
        "column 2 (c1) has a value that is no int, for it is too large or too small",
        assertThrows(SQLException.class, () -> rows.getInt(2)).getMessage());
    assertEquals(
        "column 3 (c2) is TIMESTAMP and its value cannot be read as an int",
        assertThrows(SQLException.class, () -> rows.getInt(3)).getMessage());
  }

  @Test
  @SuppressWarnings("deprecation")
  void aTextWithALargeExponentIsNotWrittenOut() throws SQLException {
    ResultSet rows =
        row(MEK, sealed(253, 0, 0, 63, "1e999999999"), sealed(253, 0, 0, 63, "-9e-999999999"));
    assertEquals(
        "column 2 (c1) has a value that is no long, for it is too large or too small",
        assertThrows(SQLException.class, () -> rows.getLong(2)).getMessage());
    assertThrows(SQLException.class, () -> rows.getObject(2, BigInteger.class));
    assertThrows(SQLException.class, () -> rows.getBigDecimal(2, 2));
    assertEquals(0, rows.getInt(3));
    assertEquals(BigInteger.ZERO, rows.getObject(3, BigInteger.class));
    assertEquals(new BigDecimal("0.00"), rows.getBigDecimal(3, 2));
  }

  @Test
  void itIsAWrapper() throws SQLException {
    ResultSet rows = row(MEK, sealed(3, 0, 0, 63, "1"));
    assertTrue(rows.isWrapperFor(CachedRowSet.class));
    assertEquals(7, rows.unwrap(CachedRowSet.class).getInt(1));
    assertSame(rows, rows.unwrap(EncryptingResultSet.class));
    assertFalse(rows.isWrapperFor(Connection.class));
  }
}
