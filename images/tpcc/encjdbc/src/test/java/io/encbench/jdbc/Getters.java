package io.encbench.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/** Every getter of a result set, with what it gave as a text that can be compared. */
final class Getters {
  /** One getter, by number and by label. */
  private interface ByNumber {
    Object get(ResultSet rows, int column) throws Exception;
  }

  private interface ByLabel {
    Object get(ResultSet rows, String label) throws Exception;
  }

  private record Getter(ByNumber byNumber, ByLabel byLabel) {}

  static final String THROWS = "throws";

  private static final Map<String, Getter> ALL = all();

  private Getters() {}

  /** What each getter says of a column of the current row. */
  static Map<String, String> outcomes(ResultSet rows, int column, String label) {
    Map<String, String> found = new LinkedHashMap<>();
    ALL.forEach(
        (name, getter) -> {
          found.put(name, outcome(rows, () -> getter.byNumber.get(rows, column)));
          found.put(name + " by label", outcome(rows, () -> getter.byLabel.get(rows, label)));
        });
    return found;
  }

  private interface Asking {
    Object ask() throws Exception;
  }

  private static String outcome(ResultSet rows, Asking asking) {
    try {
      Object value = asking.ask();
      boolean wasNull = rows.wasNull();
      return text(value) + (wasNull ? ", wasNull" : "");
    } catch (Exception error) {
      return THROWS;
    }
  }

  @SuppressWarnings("deprecation")
  private static Map<String, Getter> all() {
    Calendar tokyo = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
    Map<String, Getter> all = new LinkedHashMap<>();
    all.put("getString", new Getter(ResultSet::getString, ResultSet::getString));
    all.put("getNString", new Getter(ResultSet::getNString, ResultSet::getNString));
    all.put("getBoolean", new Getter(ResultSet::getBoolean, ResultSet::getBoolean));
    all.put("getByte", new Getter(ResultSet::getByte, ResultSet::getByte));
    all.put("getShort", new Getter(ResultSet::getShort, ResultSet::getShort));
    all.put("getInt", new Getter(ResultSet::getInt, ResultSet::getInt));
    all.put("getLong", new Getter(ResultSet::getLong, ResultSet::getLong));
    all.put("getFloat", new Getter(ResultSet::getFloat, ResultSet::getFloat));
    all.put("getDouble", new Getter(ResultSet::getDouble, ResultSet::getDouble));
    all.put("getBigDecimal", new Getter(ResultSet::getBigDecimal, ResultSet::getBigDecimal));
    all.put(
        "getBigDecimal 1",
        new Getter((r, c) -> r.getBigDecimal(c, 1), (r, c) -> r.getBigDecimal(c, 1)));
    all.put("getBytes", new Getter(ResultSet::getBytes, ResultSet::getBytes));
    all.put("getDate", new Getter(ResultSet::getDate, ResultSet::getDate));
    all.put("getTime", new Getter(ResultSet::getTime, ResultSet::getTime));
    all.put("getTimestamp", new Getter(ResultSet::getTimestamp, ResultSet::getTimestamp));
    all.put(
        "getDate Tokyo", new Getter((r, c) -> r.getDate(c, tokyo), (r, c) -> r.getDate(c, tokyo)));
    all.put(
        "getTime Tokyo", new Getter((r, c) -> r.getTime(c, tokyo), (r, c) -> r.getTime(c, tokyo)));
    all.put(
        "getTimestamp Tokyo",
        new Getter((r, c) -> r.getTimestamp(c, tokyo), (r, c) -> r.getTimestamp(c, tokyo)));
    all.put("getObject", new Getter(ResultSet::getObject, ResultSet::getObject));
    all.put(
        "getObject Map",
        new Getter((r, c) -> r.getObject(c, Map.of()), (r, c) -> r.getObject(c, Map.of())));
    all.put("getBinaryStream", new Getter(ResultSet::getBinaryStream, ResultSet::getBinaryStream));
    all.put("getAsciiStream", new Getter(ResultSet::getAsciiStream, ResultSet::getAsciiStream));
    all.put(
        "getUnicodeStream", new Getter(ResultSet::getUnicodeStream, ResultSet::getUnicodeStream));
    all.put(
        "getCharacterStream",
        new Getter(ResultSet::getCharacterStream, ResultSet::getCharacterStream));
    all.put(
        "getNCharacterStream",
        new Getter(ResultSet::getNCharacterStream, ResultSet::getNCharacterStream));
    all.put("getClob", new Getter(ResultSet::getClob, ResultSet::getClob));
    all.put("getNClob", new Getter(ResultSet::getNClob, ResultSet::getNClob));
    all.put("getBlob", new Getter(ResultSet::getBlob, ResultSet::getBlob));
    all.put("getURL", new Getter(ResultSet::getURL, ResultSet::getURL));
    for (Class<?> type :
        List.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigDecimal.class,
            BigInteger.class,
            byte[].class,
            Date.class,
            Time.class,
            Timestamp.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Duration.class,
            OffsetTime.class,
            Calendar.class,
            ZonedDateTime.class,
            OffsetDateTime.class)) {
      all.put(
          "getObject " + type.getSimpleName(),
          new Getter((r, c) -> r.getObject(c, type), (r, c) -> r.getObject(c, type)));
    }
    return all;
  }

  private static String text(Object value) throws Exception {
    if (value == null) {
      return "null";
    }
    if (value instanceof byte[] bytes) {
      return "bytes " + hex(bytes);
    }
    if (value instanceof InputStream stream) {
      return "stream " + hex(stream.readAllBytes());
    }
    if (value instanceof Reader reader) {
      StringWriter text = new StringWriter();
      reader.transferTo(text);
      return "reader " + text;
    }
    if (value instanceof Clob clob) {
      String part = text(clob.getCharacterStream(1, clob.length()));
      return "clob " + clob.getSubString(1, (int) clob.length()) + " " + part;
    }
    if (value instanceof Blob blob) {
      return "blob " + hex(blob.getBytes(1, (int) blob.length()));
    }
    if (value instanceof Calendar calendar) {
      return "Calendar " + calendar.getTime();
    }
    if (value instanceof Time time) {
      return "Time " + time + " " + time.getTime();
    }
    return value.getClass().getSimpleName() + " " + value;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes) + " " + new String(bytes, StandardCharsets.UTF_8);
  }
}
