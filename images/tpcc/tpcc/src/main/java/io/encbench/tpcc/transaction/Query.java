package io.encbench.tpcc.transaction;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Statements with whole numbers as parameters. */
final class Query {
  /** SQL's own code for "no data". */
  private static final String NO_DATA = "02000";

  private Query() {}

  static void bind(PreparedStatement statement, int... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setInt(i + 1, values[i]);
    }
  }

  /** The result on its only row, which must be there. */
  static ResultSet one(PreparedStatement statement, String what) throws SQLException {
    ResultSet row = statement.executeQuery();
    if (!row.next()) {
      row.close();
      throw missing(what);
    }
    return row;
  }

  /** The number in the only row, or 0 if there is no row. */
  static int numberOrZero(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  static SQLException missing(String what) {
    return new SQLException("the database has no such " + what, NO_DATA);
  }

  /** Reads every column of the row, as a terminal would to show it. */
  static void show(ResultSet row, int first, int last) throws SQLException {
    for (int column = first; column <= last; column++) {
      row.getString(column);
    }
  }
}
