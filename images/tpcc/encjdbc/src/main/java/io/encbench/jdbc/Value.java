package io.encbench.jdbc;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Calendar;
import java.util.Map;

/**
 * A decrypted value and what each getter makes of it.
 *
 * <p>The getters bear the names of {@code ResultSet}'s, because the generated delegate calls them.
 * They answer as the inner driver does for a column that is not encrypted, in which the drivers
 * differ now and then; {@code ServerConformance} holds them against each other.
 */
final class Value {
  /** NULL in a column that may hold envelopes; the generated getters know it. */
  static final Value NULL = new Value(null, null, null, 0);

  /** So many digits before or after the point are written out, and more only if they are there. */
  private static final int MOST_DIGITS = 1000;

  private static final LocalDateTime EPOCH = LocalDate.EPOCH.atStartOfDay();

  private final Description description;
  private final byte[] content;
  private final Place place;
  private final int number;
  private boolean wasNull;

  /**
   * One of that description.
   *
   * @param number of the column or the parameter at that place
   */
  Value(Description description, byte[] content, Place place, int number) {
    this.description = description;
    this.content = content;
    this.place = place;
    this.number = number;
  }

  /** Whether a getter took it for NULL, although it is none. */
  boolean wasNull() {
    return wasNull;
  }

  Description description() {
    return description;
  }

  /** The same of another description. */
  Value of(Description other) {
    return new Value(other, content, place, number);
  }

  /** Where it was found, for messages. */
  String where() {
    return place.text(number);
  }

  // Text.

  String getString() throws SQLException {
    return switch (description.family()) {
      case TEXT, BINARY -> text();
      case BIT -> Quirks.bit(description.inner(), content);
      case FLOATING -> Quirks.floating(description.inner(), description.type(), ascii());
      case DECIMAL -> Quirks.decimal(description.inner(), description.decimals(), ascii());
      case YEAR -> Quirks.yearText(description.inner(), ascii());
      case DATETIME, TIME -> Quirks.moment(description.inner(), ascii());
      default -> ascii();
    };
  }

  String getNString() throws SQLException {
    return getString();
  }

  Reader getCharacterStream() throws SQLException {
    // Connector/J reads binary strings this way byte by byte.
    boolean bytes =
        description.family() == ColumnType.Family.BINARY && description.inner() == Inner.MYSQL;
    return new StringReader(bytes ? ascii() : getString());
  }

  Reader getNCharacterStream() throws SQLException {
    return getCharacterStream();
  }

  Clob getClob() throws SQLException {
    return new TextClob(getString());
  }

  NClob getNClob() throws SQLException {
    return new TextClob(getString());
  }

  URL getURL() throws SQLException {
    try {
      return new URL(getString());
    } catch (MalformedURLException error) {
      throw unfit("a URL");
    }
  }

  // Bytes.

  byte[] getBytes() {
    return content.clone();
  }

  InputStream getBinaryStream() {
    return new ByteArrayInputStream(content);
  }

  InputStream getAsciiStream() {
    return getBinaryStream();
  }

  InputStream getUnicodeStream() {
    return getBinaryStream();
  }

  Blob getBlob() throws SQLException {
    return new BytesBlob(content);
  }

  // Numbers.

  boolean getBoolean() throws SQLException {
    return switch (description.family()) {
      case BIT ->
          Quirks.isTrue(
              description.inner(), description.family(), BigDecimal.valueOf(Numbers.bits(content)));
      case INTEGER, DECIMAL, FLOATING, YEAR ->
          Quirks.isTrue(description.inner(), description.family(), number("a boolean"));
      case TEXT, BINARY -> {
        Boolean found = Quirks.isTrue(description.inner(), text());
        yield found != null
            ? found
            : Quirks.isTrue(description.inner(), description.family(), number("a boolean"));
      }
      default -> throw unfit("a boolean");
    };
  }

  byte getByte() throws SQLException {
    Byte found = Quirks.firstByte(description.inner(), description.family(), content);
    if (found != null) {
      return found;
    }
    return (byte) whole("a byte", Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  short getShort() throws SQLException {
    return (short) whole("a short", Short.MIN_VALUE, Short.MAX_VALUE);
  }

  int getInt() throws SQLException {
    return (int) whole("an int", Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  long getLong() throws SQLException {
    return whole("a long", Long.MIN_VALUE, Long.MAX_VALUE);
  }

  float getFloat() throws SQLException {
    return number("a float").floatValue();
  }

  double getDouble() throws SQLException {
    return number("a double").doubleValue();
  }

  BigDecimal getBigDecimal() throws SQLException {
    // As it is written with an exponent, or with a point, by the driver that makes it of a double.
    return description.family() == ColumnType.Family.FLOATING
        ? new BigDecimal(getString())
        : number("a BigDecimal");
  }

  BigDecimal getBigDecimal(int scale) throws SQLException {
    BigDecimal number = getBigDecimal();
    return description.family() == ColumnType.Family.BIT && description.inner() == Inner.MYSQL
        ? number
        : writable("a BigDecimal", number).setScale(scale, Quirks.rounding(description.inner()));
  }

  BigInteger getBigInteger() throws SQLException {
    return description.family() == ColumnType.Family.BIT
        ? BigInteger.valueOf(Numbers.bits(content))
        : writable("a BigInteger", getBigDecimal()).toBigInteger();
  }

  /** A number that can be written without an exponent; what is all but zero is zero. */
  private BigDecimal writable(String what, BigDecimal number) throws SQLException {
    long digits = (long) number.precision() - number.scale();
    int most = Math.max(MOST_DIGITS, content.length);
    if (digits > most) {
      throw beyond(what);
    }
    return digits < -most ? BigDecimal.ZERO : number;
  }

  /** What is after the point is cut off, as the drivers do. */
  private long whole(String what, long least, long most) throws SQLException {
    long value;
    if (description.family() == ColumnType.Family.BIT) {
      value = Numbers.bits(content);
      if (Quirks.fills(description.inner(), value, most - least)) {
        return value;
      }
    } else if (Numbers.isShortInteger(content)) {
      value = Numbers.shortInteger(content);
    } else {
      BigInteger number =
          writable(what, number(what)).setScale(0, RoundingMode.DOWN).toBigInteger();
      if (number.bitLength() > 63) {
        throw beyond(what);
      }
      value = number.longValue();
    }
    if (value < least || value > most) {
      throw beyond(what);
    }
    return value;
  }

  private BigDecimal number(String what) throws SQLException {
    switch (description.family()) {
      case DATE, TIME, DATETIME:
        throw unfit(what);
      case BIT:
        return Quirks.bits(description.inner(), content);
      default:
        if (content.length == 0 && Quirks.emptyIsZero(description.inner())) {
          return BigDecimal.ZERO;
        }
        try {
          return Numbers.decimal(content);
        } catch (NumberFormatException error) {
          throw unfit(what);
        }
    }
  }

  // Dates and times.

  Date getDate() throws SQLException {
    return getDate(null);
  }

  Date getDate(Calendar calendar) throws SQLException {
    LocalDateTime moment = ofDay("a date");
    return moment == null
        ? null
        : Quirks.date(description.inner(), description.family(), moment, calendar);
  }

  Time getTime() throws SQLException {
    return getTime(null);
  }

  Time getTime(Calendar calendar) throws SQLException {
    LocalDateTime moment = ofTime("a time");
    return moment == null ? null : Times.time(moment, calendar);
  }

  Timestamp getTimestamp() throws SQLException {
    return getTimestamp(null);
  }

  Timestamp getTimestamp(Calendar calendar) throws SQLException {
    LocalDateTime moment = dateTime("a timestamp");
    return moment == null ? null : Times.timestamp(moment, calendar);
  }

  LocalDate date(String what) throws SQLException {
    LocalDateTime moment = ofDay(what);
    return moment == null ? null : moment.toLocalDate();
  }

  LocalTime time(String what) throws SQLException {
    LocalDateTime moment = ofTime(what);
    return moment == null ? null : moment.toLocalTime();
  }

  /** A TIME, which need not be of a day. */
  Duration duration() throws SQLException {
    if (description.family() != ColumnType.Family.TIME && !Times.isTime(content)) {
      throw unfit("a Duration");
    }
    try {
      return Times.duration(content);
    } catch (DateTimeException | NumberFormatException error) {
      throw unfit("a Duration");
    }
  }

  LocalDateTime dateTime(String what) throws SQLException {
    if (description.type().isNumber() || description.family() == ColumnType.Family.BIT) {
      throw unfit(what);
    }
    try {
      if (description.family() == ColumnType.Family.YEAR) {
        int year = Integer.parseInt(Quirks.year(description.inner(), ascii()));
        return LocalDate.of(year, 1, 1).atStartOfDay();
      }
      if (description.family() == ColumnType.Family.TIME || Times.isTime(content)) {
        Duration time = Times.duration(content);
        if (!Quirks.isMoment(description.inner(), time)) {
          throw unfit(what);
        }
        return EPOCH.plus(time);
      }
      if (Times.isZero(content)) {
        return zero();
      }
      return Times.dateTime(content);
    } catch (DateTimeException | NumberFormatException error) {
      throw unfit(what);
    }
  }

  /** Connector/J does not look at a TIME to say its day. */
  private LocalDateTime ofDay(String what) throws SQLException {
    boolean anyTime =
        description.inner() == Inner.MYSQL && description.family() == ColumnType.Family.TIME;
    return anyTime ? EPOCH : dateTime(what);
  }

  /** A moment as a time of the first day; a TIME may be of another day. */
  private LocalDateTime ofTime(String what) throws SQLException {
    if (description.inner() == Inner.MYSQL && Times.isZero(content)) {
      return EPOCH;
    }
    LocalDateTime moment = dateTime(what);
    return moment == null || description.family() == ColumnType.Family.TIME
        ? moment
        : moment.toLocalTime().atDate(LocalDate.EPOCH);
  }

  private LocalDateTime zero() throws SQLException {
    if (!Quirks.zeroIsNull(description.inner())) {
      throw new SQLDataException(
          where() + " is a zero date, which is no moment: read it with getString", "22007");
    }
    wasNull = true;
    return null;
  }

  // Objects.

  Object getObject() throws SQLException {
    return Objects.natural(this);
  }

  Object getObject(Map<String, Class<?>> types) throws SQLException {
    return getObject();
  }

  /** Of a primitive type it gives the object that stands for it, to which nothing can be cast. */
  @SuppressWarnings("unchecked")
  <T> T getObject(Class<T> wanted) throws SQLException {
    return (T) Objects.as(this, wanted);
  }

  Array getArray() throws SQLException {
    throw unsupported("an array");
  }

  Ref getRef() throws SQLException {
    throw unsupported("a reference");
  }

  RowId getRowId() throws SQLException {
    throw unsupported("a row id");
  }

  SQLXML getSQLXML() throws SQLException {
    throw unsupported("XML");
  }

  // What the getters share.

  private String text() throws SQLException {
    // Drivers read a binary string as if it were text of the session's character set. JSON is
    // always utf8mb4, although MySQL defines its columns as binary.
    Charset charset =
        description.family() == ColumnType.Family.BINARY || description.type() == ColumnType.JSON
            ? StandardCharsets.UTF_8
            : CharacterSets.of(description.collation());
    if (charset == null) {
      throw new SQLFeatureNotSupportedException(
          where()
              + " has the collation "
              + description.collation()
              + ", whose character set this driver does not know: use utf8mb4, latin1, ascii or"
              + " binary",
          "0A000");
    }
    return new String(content, charset);
  }

  private String ascii() {
    return new String(content, StandardCharsets.ISO_8859_1);
  }

  private SQLException unfit(String what) {
    return new SQLDataException(
        where() + " is " + description.type() + " and its value cannot be read as " + what,
        "22018");
  }

  private SQLException beyond(String what) {
    return new SQLDataException(
        where()
            + " has a value that is no "
            + what.replaceFirst("^an? ", "")
            + ", for it is too large or too small",
        "22003");
  }

  private SQLException unsupported(String what) {
    return new SQLFeatureNotSupportedException(where() + " cannot be read as " + what, "0A000");
  }
}
