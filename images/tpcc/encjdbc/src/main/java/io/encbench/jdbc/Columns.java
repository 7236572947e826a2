package io.encbench.jdbc;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/** Which columns of a result may hold envelopes, and what those that were opened said. */
final class Columns {
  private static final Columns NONE = new Columns(new boolean[0], new Value[0]);

  private final boolean[] mayHold;
  private final Value[] seen;

  private Columns(boolean[] mayHold, Value[] seen) {
    this.mayHold = mayHold;
    this.seen = seen;
  }

  /** By what the server announced: an envelope is in a binary string. */
  static Columns of(ResultSetMetaData meta) throws SQLException {
    if (meta == null) {
      return NONE;
    }
    int count = meta.getColumnCount();
    boolean[] mayHold = null;
    for (int column = 1; column <= count; column++) {
      if (isBinary(meta.getColumnType(column))) {
        mayHold = mayHold == null ? new boolean[count + 1] : mayHold;
        mayHold[column] = true;
      }
    }
    return mayHold == null ? NONE : new Columns(mayHold, new Value[count + 1]);
  }

  boolean mayHoldAny() {
    return this != NONE;
  }

  /** False as well for a column that there is not: the other driver says so itself. */
  boolean mayHold(int column) {
    return column >= 0 && column < mayHold.length && mayHold[column];
  }

  void saw(int column, Value value) {
    if (seen[column] == null) {
      seen[column] = value.withoutContent();
    }
  }

  /** A value of that column without its content, or null before one was read. */
  Value seen(int column) {
    return column >= 0 && column < seen.length ? seen[column] : null;
  }

  /** A column for messages. */
  static String name(ResultSet rows, int column) {
    try {
      return "column " + column + " (" + rows.getMetaData().getColumnLabel(column) + ")";
    } catch (SQLException error) {
      return "column " + column;
    }
  }

  private static boolean isBinary(int type) {
    return type == Types.VARBINARY
        || type == Types.LONGVARBINARY
        || type == Types.BINARY
        || type == Types.BLOB;
  }
}
