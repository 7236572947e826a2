package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.StockLevelWork;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Stock-Level, clause 2.8: one statement counts what is running short. */
final class StockLevelAsOne extends StockLevelWork {
  private static final String LOW =
      "SELECT COUNT(*) FROM (SELECT s_i_id FROM bmsql_stock"
          + " WHERE s_w_id = ? AND s_quantity < ? AND s_i_id IN"
          + " (SELECT ol_i_id FROM bmsql_district JOIN bmsql_order_line"
          + " ON ol_w_id = d_w_id AND ol_d_id = d_id"
          + " AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id"
          + " WHERE d_w_id = ? AND d_id = ?)) AS low";

  StockLevelAsOne(int warehouse, int district, int threshold) {
    super(warehouse, district, threshold);
  }

  @Override
  protected PreparedStatement low(Session session) throws SQLException {
    return Query.bind(session.prepare(LOW), warehouse, threshold, warehouse, district);
  }
}
