package io.encbench.tpcc.transaction;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Statements with whole numbers as parameters. */
public final class Query {
  private Query() {}

  /** Binds these to the first parameters. */
  public static PreparedStatement bind(PreparedStatement statement, int... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setInt(i + 1, values[i]);
    }
    return statement;
  }
}
