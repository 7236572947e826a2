package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.sql.PreparedStatement;
import java.sql.SQLException;

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

  @Override
  public Type type() {
    return Type.ORDER_STATUS;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int number = customer.find(session);
    PreparedStatement select = session.prepare(CUSTOMER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      row.show(1, 3);
      row.decimal(4);
    }
    int order;
    select = session.prepare(LAST_ORDER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("order")) {
      order = row.number(1);
      row.time(2);
      row.number(3);
    }
    select = session.prepare(LINES);
    Query.bind(select, customer.warehouse(), customer.district(), order);
    try (Rows rows = session.query(select)) {
      while (rows.next()) {
        rows.number(1);
        rows.number(2);
        rows.number(3);
        rows.decimal(4);
        rows.time(5);
      }
    }
    session.commit();
    return true;
  }
}
