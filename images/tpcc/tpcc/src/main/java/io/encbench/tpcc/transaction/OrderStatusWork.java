package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Order-Status, clause 2.6: a customer's last order, without any locks. */
public abstract class OrderStatusWork implements Work {
  protected static final String ORDERS =
      "SELECT o_id, o_entry_d, o_carrier_id FROM bmsql_oorder"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?";
  protected static final String LINES =
      "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM bmsql_order_line"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

  private static final String CUSTOMER =
      "SELECT c_first, c_middle, c_last, c_balance FROM bmsql_customer"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

  protected final Customer customer;

  protected OrderStatusWork(Customer customer) {
    this.customer = customer;
  }

  /** What finds the customer's last of the {@link #ORDERS}, with its parameters. */
  protected abstract PreparedStatement lastOrder(Session session, int number) throws SQLException;

  /** What finds the {@link #LINES} of an order. */
  protected abstract String lines();

  @Override
  public final Type type() {
    return Type.ORDER_STATUS;
  }

  @Override
  public final boolean attempt(Session session) throws SQLException {
    int number = customer.find(session);
    PreparedStatement select = session.prepare(CUSTOMER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      row.show(1, 3);
      row.decimal(4);
    }
    int order;
    try (Rows row = session.query(lastOrder(session, number)).one("order")) {
      order = row.number(1);
      row.time(2);
      row.number(3);
    }
    select = session.prepare(lines());
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
