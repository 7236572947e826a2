package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.StockLevelWork;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Stock-Level: the district's next order is read first, so that the count is a plain join. */
final class StockLevel extends StockLevelWork {
  private static final int ORDERS = 20;

  private static final String DISTRICT =
      "SELECT d_next_o_id FROM bmsql_district WHERE d_w_id = ? AND d_id = ?";
  private static final String LOW =
      "SELECT COUNT(DISTINCT s_i_id) FROM bmsql_order_line JOIN bmsql_stock"
          + " ON s_w_id = ol_w_id AND s_i_id = ol_i_id"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ?"
          + " AND s_quantity < ?";

  StockLevel(int warehouse, int district, int threshold) {
    super(warehouse, district, threshold);
  }

  @Override
  protected PreparedStatement low(Session session) throws SQLException {
    int next;
    PreparedStatement select = session.prepare(DISTRICT);
    Query.bind(select, warehouse, district);
    try (Rows row = session.query(select).one("district")) {
      next = row.number(1);
    }
    select = session.prepare(LOW);
    return Query.bind(select, warehouse, district, next - ORDERS, next, threshold);
  }
}
