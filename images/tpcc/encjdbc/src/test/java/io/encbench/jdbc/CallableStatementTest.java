package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import org.junit.jupiter.api.Test;

/** Output parameters as objects: of the registered type around Connector/J. */
class CallableStatementTest {
  private static final Mek MEK =
      new Mek(Path.of("/keys/mek"), "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));

  private static final byte[] NUMBER = ResultsTest.sealed(8, 0, 0x80, 63, "1");
  private static final byte[] UNSIGNED = ResultsTest.sealed(8, 0, 0xA0, 63, "3000000000");
  private static final byte[] MEDIUM = ResultsTest.sealed(9, 0, 0xA0, 63, "1");
  private static final byte[] DATE = text("2026-01-02");
  private static final byte[] MOMENT = text("2026-01-02 03:04:05");

  private static byte[] text(String value) {
    return ResultsTest.sealed(253, 0, 0, 45, value);
  }

  /** One whose driver has that for the bytes of every parameter, and a word for the object. */
  private static CallableStatement around(Inner inner, byte[] sent) throws SQLException {
    CallableStatement statement =
        (CallableStatement)
            Proxy.newProxyInstance(
                CallableStatementTest.class.getClassLoader(),
                new Class<?>[] {CallableStatement.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getBytes" -> sent;
                      case "getObject" -> "the driver's";
                      default -> null;
                    });
    return new EncryptingCallableStatement(ResultsTest.session(inner, MEK, false), statement);
  }

  private static Object registered(byte[] sent, int type) throws SQLException {
    CallableStatement call = around(Inner.MYSQL, sent);
    call.registerOutParameter(2, type);
    return call.getObject(2);
  }

  @Test
  void itIsOfTheRegisteredType() throws SQLException {
    assertEquals(Boolean.TRUE, registered(NUMBER, Types.BIT));
    assertEquals(Boolean.TRUE, registered(NUMBER, Types.BOOLEAN));
    assertEquals(1, registered(NUMBER, Types.TINYINT));
    assertEquals(1, registered(NUMBER, Types.SMALLINT));
    assertEquals(1, registered(NUMBER, Types.INTEGER));
    assertEquals(1L, registered(NUMBER, Types.BIGINT));
    assertEquals(BigDecimal.ONE, registered(NUMBER, Types.DECIMAL));
    assertEquals(BigDecimal.ONE, registered(NUMBER, Types.NUMERIC));
    assertEquals(1.0F, registered(NUMBER, Types.REAL));
    assertEquals(1.0, registered(NUMBER, Types.FLOAT));
    assertEquals(1.0, registered(NUMBER, Types.DOUBLE));
    assertEquals("1", registered(NUMBER, Types.VARCHAR));
    assertEquals("2026-01-02", registered(DATE, Types.LONGVARCHAR));
    assertEquals(Date.valueOf("2026-01-02"), registered(DATE, Types.DATE));
    assertEquals(Time.valueOf("03:04:05"), registered(text("03:04:05"), Types.TIME));
    assertEquals(Timestamp.valueOf("2026-01-02 03:04:05"), registered(MOMENT, Types.TIMESTAMP));
    assertArrayEquals(new byte[] {'x'}, (byte[]) registered(text("x"), Types.VARBINARY));
  }

  /** A variable is a BIGINT; a function may return a MEDIUMINT. */
  @Test
  void anUnsignedIntegerIsALong() throws SQLException {
    assertEquals(3_000_000_000L, registered(UNSIGNED, Types.INTEGER));
    assertEquals(1, registered(MEDIUM, Types.INTEGER));
  }

  @Test
  void aTypeIsRegisteredInSixWays() throws SQLException {
    CallableStatement call = around(Inner.MYSQL, NUMBER);
    call.registerOutParameter(1, Types.INTEGER);
    call.registerOutParameter(2, Types.INTEGER, 0);
    call.registerOutParameter(3, Types.INTEGER, "INT");
    call.registerOutParameter(4, JDBCType.INTEGER);
    call.registerOutParameter(5, JDBCType.INTEGER, 0);
    call.registerOutParameter(6, JDBCType.INTEGER, "INT");
    for (int parameter = 1; parameter <= 6; parameter++) {
      assertEquals(1, call.getObject(parameter));
    }
    call.registerOutParameter(1, Types.DOUBLE);
    assertEquals(1.0, call.getObject(1));
    assertEquals(1, call.getObject(2));
  }

  @Test
  void whatIsNotRegisteredIsAText() throws SQLException {
    assertEquals("1", around(Inner.MYSQL, NUMBER).getObject(2));
  }

  @Test
  void whatIsNoEnvelopeIsTheDriversOwnMatter() throws SQLException {
    assertEquals("the driver's", registered(new byte[] {'1'}, Types.INTEGER));
    assertEquals("the driver's", registered(null, Types.INTEGER));
  }

  /** It gives what the parameter is, whatever is registered. */
  @Test
  void mariadbSDriverDoesNotLookAtTheType() throws SQLException {
    CallableStatement call = around(Inner.MARIADB, NUMBER);
    call.registerOutParameter(1, Types.INTEGER);
    assertEquals(1L, call.getObject(1));
  }
}
