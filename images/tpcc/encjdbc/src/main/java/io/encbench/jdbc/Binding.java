package io.encbench.jdbc;

import java.nio.charset.StandardCharsets;

/**
 * The column that values are bound to, by the names that the server has for it, beside what {@link
 * Opener}, {@link Gcm} and {@link KeyStream} know of its values.
 *
 * <p>A connection has its own, and whoever holds its {@link Opener} may use them.
 */
final class Binding {
  private final byte[] name;
  private final String table;
  private final String column;

  /** That of the last value that was opened; null before the first one. */
  Header header;

  /** Header and name, hashed with the key of the last value; null before the first one. */
  Gcm.Prefix prefix;

  /** How many blocks of the key stream the widest of its values has needed. */
  int blocks;

  /** The column of the value that came after one of this column; null if none has. */
  Binding next;

  /** One for no column: of an expression's values, or of names beyond ASCII. */
  Binding() {
    this(null, null);
  }

  Binding(String table, String column) {
    this.table = table;
    this.column = column;
    this.name =
        isPlain(table) && isPlain(column)
            ? (table + '\0' + column).getBytes(StandardCharsets.US_ASCII)
            : new byte[] {0};
  }

  /** Whether it is made of these names. */
  boolean isOf(String table, String column) {
    return java.util.Objects.equals(column, this.column)
        && java.util.Objects.equals(table, this.table);
  }

  /** What is authenticated beside a value and its header. */
  byte[] name() {
    return name;
  }

  private static boolean isPlain(String name) {
    return name != null && !name.isEmpty() && name.chars().allMatch(c -> c >= ' ' && c <= '~');
  }
}
