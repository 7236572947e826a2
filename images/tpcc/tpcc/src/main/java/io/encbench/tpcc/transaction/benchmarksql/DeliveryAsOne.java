package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.DeliveryWork;
import io.encbench.tpcc.transaction.Query;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;

/** Delivery: the oldest outstanding orders of all ten districts, committed together. */
final class DeliveryAsOne extends DeliveryWork {
  private static final String CUSTOMER =
      "SELECT o_c_id FROM bmsql_oorder WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
  private static final String SUM =
      "SELECT SUM(ol_amount) FROM bmsql_order_line"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

  DeliveryAsOne(int warehouse, int carrier) {
    super(warehouse, carrier);
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int orders = 0;
    for (int district = 1; district <= DISTRICTS; district++) {
      int order = oldest(session, district);
      if (order > 0) {
        deliver(session, district, order);
        orders++;
      }
    }
    session.commit();
    delivered = orders;
    skipped = DISTRICTS - orders;
    return true;
  }

  /**
   * The oldest order, locked; 0 if there is none.
   *
   * <p>A PostgreSQL that has waited for another delivery finds the order gone and returns no row,
   * although there may be a next one. InnoDB returns that.
   */
  private int oldest(Session session, int district) throws SQLException {
    while (true) {
      int order = first(session, LOCKED_OLDEST, district);
      if (order > 0 || session.dialect().isMySqlFamily() || first(session, OLDEST, district) == 0) {
        return order;
      }
    }
  }

  private int first(Session session, String sql, int district) throws SQLException {
    return session.numberOrZero(Query.bind(session.prepare(sql), warehouse, district));
  }

  private void deliver(Session session, int district, int order) throws SQLException {
    session.update(Query.bind(session.prepare(TAKE), warehouse, district, order));
    int customer;
    // The order may be newer than what the transaction has read first.
    PreparedStatement select = session.prepare(CUSTOMER + session.dialect().current());
    Query.bind(select, warehouse, district, order);
    try (Rows row = session.query(select).one("order")) {
      customer = row.number(1);
    }
    session.update(Query.bind(session.prepare(CARRIER), carrier, warehouse, district, order));
    PreparedStatement update = session.prepare(LINES);
    update.setObject(1, LocalDateTime.now());
    update.setInt(2, warehouse);
    update.setInt(3, district);
    update.setInt(4, order);
    session.update(update);
    BigDecimal sum;
    select = Query.bind(session.prepare(SUM), warehouse, district, order);
    try (Rows row = session.query(select).one("order lines")) {
      sum = row.decimal(1);
    }
    addToBalance(session, district, customer, sum);
  }
}
