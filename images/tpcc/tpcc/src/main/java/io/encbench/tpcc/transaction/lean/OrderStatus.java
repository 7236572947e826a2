package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.OrderStatusWork;
import io.encbench.tpcc.transaction.Query;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Order-Status: the last order is the first one from the index's end. */
final class OrderStatus extends OrderStatusWork {
  private static final String LAST_ORDER = ORDERS + " ORDER BY o_id DESC LIMIT 1";

  OrderStatus(Customer customer) {
    super(customer);
  }

  @Override
  protected PreparedStatement lastOrder(Session session, int number) throws SQLException {
    PreparedStatement select = session.prepare(LAST_ORDER);
    return Query.bind(select, customer.warehouse(), customer.district(), number);
  }

  @Override
  protected String lines() {
    return LINES;
  }
}
