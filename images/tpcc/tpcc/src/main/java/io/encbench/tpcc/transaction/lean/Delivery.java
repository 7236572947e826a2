package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.DeliveryWork;
import io.encbench.tpcc.transaction.Query;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.BitSet;

/**
 * Delivery: each district is committed by itself, as the clause allows, so that no locks of one are
 * held while the others are delivered.
 *
 * <p>PostgreSQL delivers all districts in one statement, and commits it in the same round trip.
 * Those where another delivery was quicker are then delivered one by one. A further attempt goes on
 * where the one before was stopped.
 */
final class Delivery extends DeliveryWork {
  private static final String TAKE_OLDEST =
      "DELETE FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ?"
          + " ORDER BY no_o_id LIMIT 1 RETURNING no_o_id";
  private static final String CUSTOMER_AND_SUM =
      "SELECT o_c_id, SUM(ol_amount) FROM bmsql_oorder JOIN bmsql_order_line"
          + " ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_id = ? GROUP BY o_c_id";

  private static final Trip HAND_OVER = new Trip(CARRIER, LINES, CUSTOMER_AND_SUM);

  /** Gives the districts that it has delivered. */
  private static final Trip WHOLE_WAREHOUSE =
      Trip.committed(
          "WITH oldest AS (DELETE FROM bmsql_new_order USING (SELECT district, (SELECT MIN(no_o_id)"
              + " FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = district) AS first"
              + " FROM generate_series(1, "
              + DISTRICTS
              + ") AS district) AS waiting"
              + " WHERE no_w_id = ? AND no_d_id = district AND no_o_id = first"
              + " RETURNING no_d_id AS place, no_o_id AS taken),"
              + " carried AS (UPDATE bmsql_oorder SET o_carrier_id = ? FROM oldest"
              + " WHERE o_w_id = ? AND o_d_id = place AND o_id = taken"
              + " RETURNING place, o_c_id AS customer),"
              + " lines AS (UPDATE bmsql_order_line SET ol_delivery_d = ? FROM oldest"
              + " WHERE ol_w_id = ? AND ol_d_id = place AND ol_o_id = taken"
              + " RETURNING place, ol_amount),"
              + " due AS (SELECT place, SUM(ol_amount) AS total FROM lines GROUP BY place)"
              + " UPDATE bmsql_customer SET c_balance = c_balance + total,"
              + " c_delivery_cnt = c_delivery_cnt + 1 FROM carried JOIN due USING (place)"
              + " WHERE c_w_id = ? AND c_d_id = place AND c_id = customer RETURNING c_d_id");

  private final BitSet left = new BitSet();

  Delivery(int warehouse, int carrier) {
    super(warehouse, carrier);
    left.set(1, DISTRICTS + 1);
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    if (session.abilities().combine() && left.cardinality() == DISTRICTS) {
      deliverAtOnce(session);
    }
    while (!left.isEmpty()) {
      int district = left.nextSetBit(1);
      boolean had = deliver(session, district);
      delivered += had ? 1 : 0;
      skipped += had ? 0 : 1;
      left.clear(district);
    }
    return true;
  }

  /** Delivers the oldest orders of all districts and commits, in one round trip. */
  private void deliverAtOnce(Session session) throws SQLException {
    Trip.Values trip =
        WHOLE_WAREHOUSE
            .on(session)
            .numbers(warehouse, warehouse, carrier, warehouse)
            .time(LocalDateTime.now())
            .numbers(warehouse, warehouse);
    try (Rows rows = trip.rows()) {
      while (rows.next()) {
        left.clear(rows.number(1));
        delivered++;
      }
    }
  }

  /** Delivers the oldest order of a district and commits; whether there was one. */
  private boolean deliver(Session session, int district) throws SQLException {
    int order = take(session, district);
    if (order > 0) {
      handOver(session, district, order);
    }
    session.commit();
    return order > 0;
  }

  /**
   * Takes the oldest order off the list; 0 if there is none.
   *
   * <p>InnoDB shows a plain SELECT an order that another delivery has taken meanwhile.
   */
  private int take(Session session, int district) throws SQLException {
    boolean returning = session.abilities().deletesFirst();
    while (true) {
      int order =
          returning
              ? oldest(session, TAKE_OLDEST, district)
              : oldest(
                  session, session.dialect().isMySqlFamily() ? LOCKED_OLDEST : OLDEST, district);
      if (order > 0 && (returning || remove(session, district, order))) {
        return order;
      }
      // Another delivery may have been quicker: then there is a next one, unless it was the last.
      if (oldest(session, OLDEST, district) == 0) {
        return 0;
      }
    }
  }

  private int oldest(Session session, String sql, int district) throws SQLException {
    return session.numberOrZero(Query.bind(session.prepare(sql), warehouse, district));
  }

  private boolean remove(Session session, int district, int order) throws SQLException {
    PreparedStatement remove = session.prepare(TAKE);
    Query.bind(remove, warehouse, district, order);
    return session.update(remove) == 1;
  }

  private void handOver(Session session, int district, int order) throws SQLException {
    Trip.Values trip =
        HAND_OVER
            .on(session)
            .numbers(carrier, warehouse, district, order)
            .time(LocalDateTime.now())
            .numbers(warehouse, district, order)
            .numbers(warehouse, district, order);
    int customer;
    BigDecimal sum;
    try (Rows row = trip.row("order")) {
      customer = row.number(1);
      sum = row.decimal(2);
    }
    addToBalance(session, district, customer, sum);
  }
}
