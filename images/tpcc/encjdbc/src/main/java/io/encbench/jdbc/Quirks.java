package io.encbench.jdbc;

import io.encbench.jdbc.ColumnType.Family;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Blob;
import java.sql.Date;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Calendar;
import java.util.Locale;

/** In what the drivers differ when they read the same value. */
final class Quirks {
  private static final BigDecimal MINUS_ONE = BigDecimal.ONE.negate();

  /** Bytes of a character at most. */
  private static final int UTF8MB4_BYTES = 4;

  private Quirks() {}

  /** Connector/J reads an empty text as 0. */
  static boolean emptyIsZero(Inner inner) {
    return inner == Inner.MYSQL;
  }

  /**
   * What a value is as a byte where a driver does not read it as a number: Connector/J takes a
   * single character's code, MariaDB's the first byte of a binary string and of bits. Null
   * otherwise.
   */
  static Byte firstByte(Inner inner, Family family, byte[] content) {
    if (inner == Inner.MYSQL && content.length == 1 && isString(family)) {
      return content[0];
    }
    if (inner == Inner.MARIADB && (family == Family.BINARY || family == Family.BIT)) {
      return content.length == 0 ? 0 : content[0];
    }
    return null;
  }

  static RoundingMode rounding(Inner inner) {
    return inner == Inner.MYSQL ? RoundingMode.HALF_UP : RoundingMode.HALF_DOWN;
  }

  /**
   * Connector/J takes negative numbers for false, all but -1; MariaDB's driver decimals that are 0
   * when cut off.
   */
  static boolean isTrue(Inner inner, Family family, BigDecimal number) {
    if (inner == Inner.MYSQL) {
      return number.signum() > 0 || number.compareTo(MINUS_ONE) == 0;
    }
    return family == Family.DECIMAL ? number.intValue() != 0 : number.signum() != 0;
  }

  /** Null if it has to be read as a number. */
  static Boolean isTrue(Inner inner, String text) {
    if (inner != Inner.MYSQL) {
      return !text.equals("0") && !text.equalsIgnoreCase("false");
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "y", "yes", "t", "true" -> Boolean.TRUE;
      case "n", "no", "f", "false" -> Boolean.FALSE;
      default -> null;
    };
  }

  static String bit(Inner inner, byte[] bits) {
    long value = Numbers.bits(bits);
    if (inner == Inner.MYSQL) {
      return Long.toString(value);
    }
    return "b'" + (value == 0 ? "" : Long.toBinaryString(value)) + "'";
  }

  /** As a number that may have a fraction 64 bits have no sign for Connector/J. */
  static BigDecimal bits(Inner inner, byte[] bits) {
    return inner == Inner.MYSQL
        ? new BigDecimal(new BigInteger(1, bits))
        : BigDecimal.valueOf(Numbers.bits(bits));
  }

  /** Whether Connector/J takes bits for all of a type's, of which the first is its sign. */
  static boolean fills(Inner inner, long bits, long most) {
    return inner == Inner.MYSQL && bits >= 0 && bits <= most;
  }

  static String floating(Inner inner, ColumnType type, String text) {
    if (inner != Inner.MYSQL) {
      return text;
    }
    return type == ColumnType.FLOAT
        ? String.valueOf(Float.parseFloat(text))
        : String.valueOf(Double.parseDouble(text));
  }

  /** Connector/J writes many decimals as Java does, with an exponent. */
  static String decimal(Inner inner, int decimals, String text) {
    return inner == Inner.MYSQL && decimals > 6 ? new BigDecimal(text).toString() : text;
  }

  /** Connector/J takes a year below 100, which 0000 is, for one of two digits. */
  static String year(Inner inner, String text) {
    if (inner != Inner.MYSQL || !text.matches("(00)?[0-9]{2}")) {
      return text;
    }
    String two = text.substring(text.length() - 2);
    return (two.compareTo("70") < 0 ? "20" : "19") + two;
  }

  /** Connector/J writes a year as its first day. */
  static String yearText(Inner inner, String text) {
    return inner == Inner.MYSQL ? year(inner, text) + "-01-01" : text;
  }

  /** Connector/J leaves out a fraction that is 0. */
  static String moment(Inner inner, String text) {
    int point = text.indexOf('.');
    return inner == Inner.MYSQL && point > 0 && text.matches(".*[.]0+")
        ? text.substring(0, point)
        : text;
  }

  /** The day of a moment; MariaDB's driver keeps the time of the day when it has a calendar. */
  static Date date(Inner inner, Family family, LocalDateTime moment, Calendar calendar) {
    if (calendar == null
        || family == Family.TIME
        || family == Family.YEAR && inner == Inner.MARIADB) {
      return Date.valueOf(moment.toLocalDate());
    }
    return inner == Inner.MARIADB && family == Family.DATETIME
        ? new Date(Times.timestamp(moment, calendar).getTime())
        : Times.date(moment.toLocalDate(), calendar);
  }

  static boolean hasScale(Inner inner, Family family) {
    return family == Family.DECIMAL
        || inner == Inner.MARIADB
            && (family == Family.FLOATING || family == Family.DATETIME || family == Family.TIME);
  }

  static String className(Description of) {
    if (of.inner() == Inner.MARIADB) {
      return of.type() == ColumnType.BLOB
          ? Blob.class.getName()
          : Objects.naturalClass(of).getTypeName();
    }
    return of.type() == ColumnType.BIT
        ? Boolean.class.getName()
        : Objects.naturalClass(of).getName();
  }

  /** MariaDB's driver takes everything for signed that is not said to be unsigned. */
  static boolean isSigned(Description of) {
    return of.inner() == Inner.MARIADB
        ? !of.bearsUnsigned()
        : of.type().isNumber() && of.type() != ColumnType.TRUTH && !of.bearsUnsigned();
  }

  /** Connector/J takes a {@code TINYINT(1) UNSIGNED} for a number. */
  static boolean unsignedIsTruth(Inner inner) {
    return inner == Inner.MARIADB;
  }

  /**
   * MariaDB's driver says so of everything. Connector/J goes by the collation of a text, which no
   * proxy announces; most are case-insensitive.
   */
  static boolean isCaseSensitive(Description of) {
    return of.inner() == Inner.MARIADB
        || of.family() == Family.BINARY
        || of.family() == Family.DECIMAL
        || of.type() == ColumnType.JSON;
  }

  /**
   * In characters where that is known: MariaDB's driver has all texts sent in utf8mb4. Connector/J
   * has each in its own character set, so these are bytes.
   */
  static int displaySize(Description of) {
    boolean isUtf8mb4 = of.inner() == Inner.MARIADB && of.family() == Family.TEXT;
    return isUtf8mb4 ? of.length() / UTF8MB4_BYTES : of.length();
  }

  private static boolean isString(Family family) {
    return family == Family.TEXT || family == Family.BINARY;
  }

  /** Connector/J has a TIME within a day only; for MariaDB's driver the days go on. */
  static boolean isMoment(Inner inner, Duration time) {
    return inner == Inner.MARIADB || !time.isNegative() && time.toDays() == 0;
  }

  /** Connector/J refuses a zero date, and MariaDB's driver takes it for NULL. */
  static boolean zeroIsNull(Inner inner) {
    return inner == Inner.MARIADB;
  }
}
