package io.encbench.tpcc.check;

import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.StringJoiner;

/** Asks the database whether it is consistent. */
public final class Check {
  private static final int ROWS_SHOWN = 5;

  /** More are not counted: drivers keep all rows of an answer, and a table may have millions. */
  private static final int ROWS_COUNTED = 10_000;

  private final Database database;
  private final List<Condition> conditions;
  private final Output output;

  /**
   * A check that can be run.
   *
   * @param all whether the conditions are asked too that read every row of the large tables
   */
  public Check(Database database, boolean all, Output output) {
    this.database = database;
    this.conditions = Condition.of(all);
    this.output = output;
  }

  /** How many of the queries are not empty; each is printed with its result. */
  public int run() throws SQLException {
    int failed = 0;
    try (Connection connection = database.open();
        Statement statement = connection.createStatement()) {
      for (Condition condition : conditions) {
        failed += ask(condition, statement) == 0 ? 0 : 1;
      }
      connection.rollback();
    }
    output.event(
        Json.object()
            .put("event", "checked")
            .put("conditions", conditions.size())
            .put("failed", failed));
    return failed;
  }

  private int ask(Condition condition, Statement statement) throws SQLException {
    int number = condition.ordinal() + 1;
    int count = 0;
    String query = counted(condition.contradictions(), database.dialect());
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        if (count++ < ROWS_SHOWN) {
          output.error(String.format("Query %d, contradicted by %s", number, text(rows)));
        }
      }
    }
    String many = count > ROWS_COUNTED ? "more than " + ROWS_COUNTED : String.valueOf(count);
    String result = count == 0 ? "holds" : "is contradicted by " + many + " rows";
    output.line(String.format("Query %d, %s: %s", number, condition.says(), result));
    output.event(
        Json.object()
            .put("event", "check")
            .put("number", number)
            .put("condition", condition.says())
            .put("rows", count));
    return count;
  }

  /**
   * The first rows of a query, one more than are counted.
   *
   * <p>PostgreSQL plans a statement with a LIMIT as if it found rows soon. Where a condition holds
   * there are none to find, and such a plan compares every customer with every payment. So
   * PostgreSQL plans the query by itself, for all of its rows.
   */
  static String counted(String query, Dialect dialect) {
    String limit = "\nLIMIT " + (ROWS_COUNTED + 1);
    return dialect == Dialect.POSTGRES
        ? "WITH found AS MATERIALIZED (\n" + query + ")\nSELECT * FROM found" + limit
        : query + limit;
  }

  private static String text(ResultSet row) throws SQLException {
    StringJoiner text = new StringJoiner(", ");
    for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
      text.add(row.getMetaData().getColumnLabel(column) + "=" + row.getString(column));
    }
    return text.toString();
  }
}
