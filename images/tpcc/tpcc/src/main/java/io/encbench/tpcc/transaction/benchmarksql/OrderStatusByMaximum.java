package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.OrderStatusWork;
import io.encbench.tpcc.transaction.Query;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Order-Status: the last order is the one with the greatest number. */
final class OrderStatusByMaximum extends OrderStatusWork {
  private static final String LAST_ORDER =
      ORDERS
          + " AND o_id ="
          + " (SELECT MAX(o_id) FROM bmsql_oorder WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?)";
  private static final String LINES_BY_NUMBER =
      LINES + " ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number";

  OrderStatusByMaximum(Customer customer) {
    super(customer);
  }

  @Override
  protected PreparedStatement lastOrder(Session session, int number) throws SQLException {
    int warehouse = customer.warehouse();
    int district = customer.district();
    PreparedStatement select = session.prepare(LAST_ORDER);
    return Query.bind(select, warehouse, district, number, warehouse, district, number);
  }

  @Override
  protected String lines() {
    return LINES_BY_NUMBER;
  }
}
