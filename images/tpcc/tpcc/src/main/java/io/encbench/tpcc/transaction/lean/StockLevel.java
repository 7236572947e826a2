package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Stock-Level, clause 2.8: how many items of a district's last 20 orders are running short. */
final class StockLevel implements Work {
  private static final int ORDERS = 20;

  private static final String DISTRICT =
      "SELECT d_next_o_id FROM bmsql_district WHERE d_w_id = ? AND d_id = ?";
  private static final String LOW =
      "SELECT COUNT(DISTINCT s_i_id) FROM bmsql_order_line JOIN bmsql_stock"
          + " ON s_w_id = ol_w_id AND s_i_id = ol_i_id"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ?"
          + " AND s_quantity < ?";

  private final int warehouse;
  private final int district;
  private final int threshold;

  StockLevel(int warehouse, int district, int threshold) {
    this.warehouse = warehouse;
    this.district = district;
    this.threshold = threshold;
  }

  @Override
  public Type type() {
    return Type.STOCK_LEVEL;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int next;
    PreparedStatement select = session.prepare(DISTRICT);
    Query.bind(select, warehouse, district);
    try (Rows row = session.query(select).one("district")) {
      next = row.number(1);
    }
    select = session.prepare(LOW);
    Query.bind(select, warehouse, district, next - ORDERS, next, threshold);
    try (Rows row = session.query(select).one("stock")) {
      row.number(1);
    }
    session.commit();
    return true;
  }
}
