package io.encbench.jdbc;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Numbers from their digits, without a String where they are short, which nearly all are. */
final class Numbers {
  /** So many digits are a long for sure. */
  private static final int SHORT = 18;

  private Numbers() {}

  /** Whether this is a sign at most and then one to 18 digits. */
  static boolean isShortInteger(byte[] text) {
    int from = text.length > 0 && text[0] == '-' ? 1 : 0;
    if (text.length == from || text.length - from > SHORT) {
      return false;
    }
    for (int i = from; i < text.length; i++) {
      if (text[i] < '0' || text[i] > '9') {
        return false;
      }
    }
    return true;
  }

  /** The value of a short integer. */
  static long shortInteger(byte[] text) {
    boolean negative = text[0] == '-';
    long value = 0;
    for (int i = negative ? 1 : 0; i < text.length; i++) {
      value = 10 * value + (text[i] - '0');
    }
    return negative ? -value : value;
  }

  /** A decimal; NumberFormatException if it is none. */
  static BigDecimal decimal(byte[] text) {
    if (text.length > SHORT || text.length == 0) {
      return general(text);
    }
    boolean negative = text[0] == '-';
    int point = -1;
    long unscaled = 0;
    for (int i = negative ? 1 : 0; i < text.length; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        unscaled = 10 * unscaled + (text[i] - '0');
      } else if (text[i] == '.' && point < 0) {
        point = i;
      } else {
        return general(text);
      }
    }
    int digits = text.length - (negative ? 1 : 0) - (point < 0 ? 0 : 1);
    if (digits == 0) {
      return general(text);
    }
    int scale = point < 0 ? 0 : text.length - 1 - point;
    return BigDecimal.valueOf(negative ? -unscaled : unscaled, scale);
  }

  /** The bits of a column of type BIT. */
  static long bits(byte[] bits) {
    long value = 0;
    for (byte each : bits) {
      value = value << 8 | each & 0xFF;
    }
    return value;
  }

  private static BigDecimal general(byte[] text) {
    return new BigDecimal(new String(text, StandardCharsets.ISO_8859_1).strip());
  }
}
