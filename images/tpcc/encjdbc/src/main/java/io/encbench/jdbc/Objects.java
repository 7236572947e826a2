package io.encbench.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Map;
import java.util.TimeZone;

/** Values as objects: of their type's own class, or of one that was asked for. */
final class Objects {
  /** A getter that makes an object. */
  private interface Reading {
    Object of(Value value) throws SQLException;
  }

  private static final Map<Class<?>, Reading> READINGS =
      Map.ofEntries(
          Map.entry(String.class, Value::getString),
          Map.entry(Boolean.class, Value::getBoolean),
          Map.entry(Byte.class, Value::getByte),
          Map.entry(Short.class, Value::getShort),
          Map.entry(Integer.class, Value::getInt),
          Map.entry(Long.class, Value::getLong),
          Map.entry(Float.class, Value::getFloat),
          Map.entry(Double.class, Value::getDouble),
          Map.entry(BigDecimal.class, Value::getBigDecimal),
          Map.entry(BigInteger.class, Value::getBigInteger),
          Map.entry(byte[].class, Value::getBytes),
          Map.entry(Date.class, Value::getDate),
          Map.entry(Time.class, Value::getTime),
          Map.entry(Timestamp.class, Value::getTimestamp),
          Map.entry(java.util.Date.class, Value::getTimestamp),
          Map.entry(LocalDate.class, value -> value.date("a LocalDate")),
          Map.entry(LocalTime.class, value -> value.time("a LocalTime")),
          Map.entry(LocalDateTime.class, value -> value.dateTime("a LocalDateTime")),
          Map.entry(Duration.class, Value::duration),
          Map.entry(OffsetTime.class, value -> offsetTime(value)),
          Map.entry(Calendar.class, value -> calendar(value)),
          Map.entry(ZonedDateTime.class, value -> zoned(value)),
          Map.entry(OffsetDateTime.class, value -> offset(value)),
          Map.entry(Instant.class, value -> instant(value)),
          Map.entry(Blob.class, Value::getBlob),
          Map.entry(Clob.class, Value::getClob),
          Map.entry(NClob.class, Value::getNClob),
          Map.entry(InputStream.class, Value::getBinaryStream),
          Map.entry(Reader.class, Value::getCharacterStream),
          Map.entry(URL.class, Value::getURL),
          Map.entry(boolean.class, Value::getBoolean),
          Map.entry(byte.class, Value::getByte),
          Map.entry(short.class, Value::getShort),
          Map.entry(int.class, Value::getInt),
          Map.entry(long.class, Value::getLong),
          Map.entry(float.class, Value::getFloat),
          Map.entry(double.class, Value::getDouble),
          Map.entry(Object.class, Value::getObject));

  private Objects() {}

  /** The value as that class. */
  static Object as(Value value, Class<?> wanted) throws SQLException {
    if (wanted == null) {
      throw new SQLDataException("getObject was given no class: name one", "22023");
    }
    Reading reading = READINGS.get(wanted);
    if (reading == null) {
      throw new SQLFeatureNotSupportedException(
          value.where() + " cannot be read as " + wanted.getName(), "0A000");
    }
    return reading.of(value);
  }

  static Object natural(Value value) throws SQLException {
    return READINGS.get(naturalClass(value.description())).of(value);
  }

  /** The class that the inner driver gives for such a column. */
  static Class<?> naturalClass(Description of) {
    boolean mariadb = of.inner() == Inner.MARIADB;
    return switch (of.type()) {
      case TINYINT -> Integer.class;
      case TRUTH -> Boolean.class;
      case SMALLINT -> mariadb && !of.isUnsigned() ? Short.class : Integer.class;
      case MEDIUMINT -> Integer.class;
      case INT -> of.isUnsigned() ? Long.class : Integer.class;
      case BIGINT -> of.isUnsigned() ? BigInteger.class : Long.class;
      case DECIMAL -> BigDecimal.class;
      case FLOAT -> Float.class;
      case DOUBLE -> Double.class;
      case YEAR, DATE -> Date.class;
      case TIME -> Time.class;
      case DATETIME -> mariadb ? Timestamp.class : LocalDateTime.class;
      case TIMESTAMP -> Timestamp.class;
      case BIT, BINARY, VARBINARY, BLOB -> byte[].class;
      default -> String.class;
    };
  }

  /** An output parameter as Connector/J gives it that is registered as that JDBC type. */
  static Object registered(Value value, int type) throws SQLException {
    return as(value, registeredClass(type, value.description()));
  }

  private static Class<?> registeredClass(int type, Description of) {
    return switch (type) {
      case Types.BIT, Types.BOOLEAN -> Boolean.class;
      case Types.TINYINT, Types.SMALLINT -> Integer.class;
      case Types.INTEGER ->
          of.bearsUnsigned() && of.type() != ColumnType.MEDIUMINT ? Long.class : Integer.class;
      case Types.BIGINT -> Long.class;
      case Types.DECIMAL, Types.NUMERIC -> BigDecimal.class;
      case Types.REAL -> Float.class;
      case Types.FLOAT, Types.DOUBLE -> Double.class;
      case Types.DATE -> Date.class;
      case Types.TIME -> Time.class;
      case Types.TIMESTAMP -> Timestamp.class;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB, Types.JAVA_OBJECT ->
          byte[].class;
      default -> String.class;
    };
  }

  private static ZonedDateTime zoned(Value value) throws SQLException {
    LocalDateTime moment = value.dateTime("a ZonedDateTime");
    return moment == null ? null : moment.atZone(ZoneId.systemDefault());
  }

  private static OffsetDateTime offset(Value value) throws SQLException {
    ZonedDateTime moment = zoned(value);
    return moment == null ? null : moment.toOffsetDateTime();
  }

  /** With the zone's offset without daylight saving, because the time is of no day. */
  private static OffsetTime offsetTime(Value value) throws SQLException {
    LocalTime time = value.time("an OffsetTime");
    int offset = TimeZone.getDefault().getRawOffset() / 1000;
    return time == null ? null : time.atOffset(ZoneOffset.ofTotalSeconds(offset));
  }

  private static Calendar calendar(Value value) throws SQLException {
    Timestamp moment = value.getTimestamp();
    if (moment == null) {
      return null;
    }
    Calendar calendar = Calendar.getInstance();
    calendar.setTime(moment);
    return calendar;
  }

  private static Instant instant(Value value) throws SQLException {
    ZonedDateTime moment = zoned(value);
    return moment == null ? null : moment.toInstant();
  }
}
