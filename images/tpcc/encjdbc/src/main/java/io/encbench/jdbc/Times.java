package io.encbench.jdbc;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Calendar;

/**
 * Dates and times from the text protocol's forms, {@code 2026-01-02 03:04:05.000006}.
 *
 * <p>DateTimeException if a text has another form, or names a day that no calendar has.
 */
final class Times {
  private static final int DATE_LENGTH = 10;
  private static final int SECONDS_LENGTH = 19;

  private Times() {}

  /** Whether it is the moment that is none, {@code 0000-00-00}. */
  static boolean isZero(byte[] text) {
    for (byte each : text) {
      if (each >= '1' && each <= '9') {
        return false;
      }
    }
    return text.length >= DATE_LENGTH && text[4] == '-';
  }

  static boolean isTime(byte[] text) {
    return text.length >= 8 && (text[2] == ':' || text[3] == ':' || text[4] == ':');
  }

  static LocalDate date(byte[] text) {
    if (text.length < DATE_LENGTH || text[4] != '-' || text[7] != '-') {
      throw new DateTimeException("no date");
    }
    return LocalDate.of(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
  }

  /** A date alone is its beginning. */
  static LocalDateTime dateTime(byte[] text) {
    LocalDate date = date(text);
    if (text.length == DATE_LENGTH) {
      return date.atStartOfDay();
    }
    if (text.length < SECONDS_LENGTH || text[DATE_LENGTH] != ' ' && text[DATE_LENGTH] != 'T') {
      throw new DateTimeException("no date with a time");
    }
    return LocalDateTime.of(date, time(text, DATE_LENGTH + 1));
  }

  /** MySQL's TIME with its sign and up to 838 hours. */
  static Duration duration(byte[] text) {
    int at = text.length > 0 && text[0] == '-' ? 1 : 0;
    int colon = at;
    while (colon < text.length && text[colon] != ':') {
      colon++;
    }
    if (colon < at + 2) {
      throw new DateTimeException("no hours");
    }
    byte[] rest = Arrays.copyOfRange(text, colon - 2, text.length);
    rest[0] = rest[1] = '0';
    Duration duration =
        Duration.ofNanos(time(rest, 0).toNanoOfDay()).plusHours(digits(text, at, colon));
    return at == 1 ? duration.negated() : duration;
  }

  static Timestamp timestamp(LocalDateTime moment, Calendar calendar) {
    if (calendar == null) {
      return Timestamp.valueOf(moment);
    }
    Timestamp timestamp = new Timestamp(millis(moment, calendar));
    timestamp.setNanos(moment.getNano());
    return timestamp;
  }

  static Date date(LocalDate date, Calendar calendar) {
    return calendar == null ? Date.valueOf(date) : new Date(millis(date.atStartOfDay(), calendar));
  }

  /** With milliseconds, which {@code Time.valueOf} would drop. */
  static Time time(LocalDateTime moment, Calendar calendar) {
    return new Time(
        calendar == null ? Timestamp.valueOf(moment).getTime() : millis(moment, calendar));
  }

  private static LocalTime time(byte[] text, int at) {
    if (text.length < at + 8 || text[at + 2] != ':' || text[at + 5] != ':') {
      throw new DateTimeException("no time of a day");
    }
    int nanos = 0;
    if (text.length > at + 8) {
      if (text[at + 8] != '.' || text.length > at + 18) {
        throw new DateTimeException("no fraction of a second");
      }
      nanos = digits(text, at + 9, text.length);
      for (int i = text.length - at - 9; i < 9; i++) {
        nanos *= 10;
      }
    }
    return LocalTime.of(
        digits(text, at, at + 2),
        digits(text, at + 3, at + 5),
        digits(text, at + 6, at + 8),
        nanos);
  }

  private static long millis(LocalDateTime moment, Calendar of) {
    Calendar calendar = (Calendar) of.clone();
    calendar.clear();
    calendar.set(
        moment.getYear(),
        moment.getMonthValue() - 1,
        moment.getDayOfMonth(),
        moment.getHour(),
        moment.getMinute(),
        moment.getSecond());
    return calendar.getTimeInMillis() + moment.getNano() / 1_000_000;
  }

  private static int digits(byte[] text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        throw new DateTimeException("no digit");
      }
      value = 10 * value + digit;
    }
    return value;
  }
}
