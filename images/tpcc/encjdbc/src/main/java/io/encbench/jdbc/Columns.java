package io.encbench.jdbc;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/** Which columns of a result hold envelopes, and of what types they are. */
final class Columns {
  static final Columns NONE = new Columns(new Binding[0], new Description[0]);

  /** What the values of a column are bound to; null where it holds no envelopes. */
  private final Binding[] bindings;

  /** What is known of each column's values: as announced, or by the first one that was read. */
  private final Description[] known;

  private Columns(Binding[] bindings, Description[] known) {
    this.bindings = bindings;
    this.known = known;
  }

  /**
   * By what the proxy announced.
   *
   * @param session says whether envelopes may lie in any binary string
   * @param before those of the statement's last result, which mostly has the same columns; {@link
   *     #NONE} before the first one
   */
  static Columns of(ResultSetMetaData meta, Session session, Columns before) throws SQLException {
    // There is no proxy for PostgreSQL, so nothing can be announced.
    if (meta == null || session.inner == Inner.POSTGRESQL && !session.stored) {
      return NONE;
    }
    int count = meta.getColumnCount();
    Binding[] bindings = null;
    Description[] known = null;
    for (int column = 1; column <= count; column++) {
      if (!isBinary(meta.getColumnType(column))) {
        continue;
      }
      Announced announced = Announced.of(meta.getPrecision(column));
      if (announced == null && !session.stored) {
        continue;
      }
      if (bindings == null) {
        bindings = new Binding[count + 1];
        known = new Description[count + 1];
      }
      Binding likely = before.mayHold(column) ? before.bindings[column] : null;
      bindings[column] =
          session.binding(meta.getTableName(column), meta.getColumnName(column), likely);
      known[column] =
          announced == null ? null : Description.of(announced, session.inner, session.truths);
    }
    return bindings == null ? NONE : new Columns(bindings, known);
  }

  /** Whether a proxy has announced any of these as encrypted. */
  static boolean areAnnounced(ResultSetMetaData meta) throws SQLException {
    for (int column = 1; column <= meta.getColumnCount(); column++) {
      if (isBinary(meta.getColumnType(column)) && Announced.of(meta.getPrecision(column)) != null) {
        return true;
      }
    }
    return false;
  }

  boolean mayHoldAny() {
    return this != NONE;
  }

  /** False as well for a column that there is not: the other driver says so itself. */
  boolean mayHold(int column) {
    return column >= 0 && column < bindings.length && bindings[column] != null;
  }

  Binding binding(int column) {
    return bindings[column];
  }

  /** What a column's value is, of which the envelope says so much. */
  Description saw(int column, Description envelope) {
    if (known[column] == null) {
      known[column] = envelope;
    }
    return known[column].type() == ColumnType.TRUTH ? envelope.as(ColumnType.TRUTH) : envelope;
  }

  /** What is known of that column's values; null if nothing is. */
  Description known(int column) {
    return column >= 0 && column < known.length ? known[column] : null;
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
