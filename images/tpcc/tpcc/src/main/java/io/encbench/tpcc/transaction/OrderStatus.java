package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;

/** Order-Status, clause 2.6: a customer's last order, without any locks. */
final class OrderStatus implements Work {
  private static final String CUSTOMER =
      "SELECT c_first, c_middle, c_last, c_balance FROM bmsql_customer"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String LAST_ORDER =
      "SELECT o_id, o_entry_d, o_carrier_id FROM bmsql_oorder"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1";
  private static final String LINES =
      "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d"
          + " FROM bmsql_order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

  private final Customer customer;

  OrderStatus(Customer customer) {
    this.customer = customer;
  }

  Customer customer() {
    return customer;
  }

  @Override
  public Type type() {
    return Type.ORDER_STATUS;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int number = customer.find(session);
    PreparedStatement select = session.prepare(CUSTOMER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (ResultSet row = Query.one(select, "customer")) {
      Query.show(row, 1, 3);
      row.getBigDecimal(4);
    }
    int order;
    select = session.prepare(LAST_ORDER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (ResultSet row = Query.one(select, "order")) {
      order = row.getInt(1);
      row.getObject(2, LocalDateTime.class);
      row.getInt(3);
    }
    select = session.prepare(LINES);
    Query.bind(select, customer.warehouse(), customer.district(), order);
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        rows.getInt(1);
        rows.getInt(2);
        rows.getInt(3);
        rows.getBigDecimal(4);
        rows.getObject(5, LocalDateTime.class);
      }
    }
    session.commit();
    return true;
  }
}
