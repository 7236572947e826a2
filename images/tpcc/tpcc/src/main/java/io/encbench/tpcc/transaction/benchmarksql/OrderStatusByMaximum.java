package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Order-Status, clause 2.6: a customer's last order, without any locks. */
final class OrderStatusByMaximum implements Work {
  private static final String CUSTOMER =
      "SELECT c_first, c_middle, c_last, c_balance FROM bmsql_customer"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String LAST_ORDER =
      "SELECT o_id, o_entry_d, o_carrier_id FROM bmsql_oorder"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? AND o_id ="
          + " (SELECT MAX(o_id) FROM bmsql_oorder WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?)";
  private static final String LINES =
      "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM bmsql_order_line"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
          + " ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number";

  private final Customer customer;

  OrderStatusByMaximum(Customer customer) {
    this.customer = customer;
  }

  @Override
  public Type type() {
    return Type.ORDER_STATUS;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int warehouse = customer.warehouse();
    int district = customer.district();
    int number = customer.find(session);
    PreparedStatement select = session.prepare(CUSTOMER);
    try (Rows row =
        session.query(Query.bind(select, warehouse, district, number)).one("customer")) {
      row.show(1, 3);
      row.decimal(4);
    }
    int order;
    select = session.prepare(LAST_ORDER);
    Query.bind(select, warehouse, district, number, warehouse, district, number);
    try (Rows row = session.query(select).one("order")) {
      order = row.number(1);
      row.time(2);
      row.number(3);
    }
    select = session.prepare(LINES);
    try (Rows rows = session.query(Query.bind(select, warehouse, district, order))) {
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
