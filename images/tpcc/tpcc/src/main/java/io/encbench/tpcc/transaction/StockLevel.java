package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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

  int district() {
    return district;
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
    try (ResultSet row = Query.one(select, "district")) {
      next = row.getInt(1);
    }
    select = session.prepare(LOW);
    Query.bind(select, warehouse, district, next - ORDERS, next, threshold);
    try (ResultSet row = Query.one(select, "stock")) {
      row.getInt(1);
    }
    session.commit();
    return true;
  }
}
