package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Map;

/**
 * Delivery, clause 2.7: the oldest outstanding order of each district.
 *
 * <p>Each district is committed by itself, as the clause allows, so that no locks of one are held
 * while the others are delivered. A further attempt goes on where the one before was stopped.
 */
public final class Delivery implements Work {
  static final int DISTRICTS = 10;

  private static final String OLDEST =
      "SELECT no_o_id FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ?"
          + " ORDER BY no_o_id LIMIT 1";

  /** InnoDB shows a plain SELECT an order that another delivery has taken meanwhile. */
  private static final String LOCKED_OLDEST = OLDEST + " FOR UPDATE";

  private static final String TAKE =
      "DELETE FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
  private static final Map<Dialect, String> TAKE_OLDEST =
      Map.of(
          Dialect.POSTGRES,
          "DELETE FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id ="
              + " (SELECT MIN(no_o_id) FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ?)"
              + " RETURNING no_o_id",
          Dialect.MARIADB,
          "DELETE FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ?"
              + " ORDER BY no_o_id LIMIT 1 RETURNING no_o_id");

  private static final String CARRIER =
      "UPDATE bmsql_oorder SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
  private static final String CARRIER_RETURNING = CARRIER + " RETURNING o_c_id";
  private static final String LINES =
      "UPDATE bmsql_order_line SET ol_delivery_d = ?"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
  private static final String LINES_RETURNING = LINES + " RETURNING ol_amount";
  private static final String CUSTOMER_AND_SUM =
      "SELECT o_c_id, SUM(ol_amount) FROM bmsql_oorder JOIN bmsql_order_line"
          + " ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id"
          + " WHERE o_w_id = ? AND o_d_id = ? AND o_id = ? GROUP BY o_c_id";
  private static final String CUSTOMER =
      "UPDATE bmsql_customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

  private static final Trip HAND_OVER = new Trip(CARRIER, LINES, CUSTOMER_AND_SUM);
  private static final Trip HAND_OVER_RETURNING = new Trip(CARRIER_RETURNING, LINES_RETURNING);

  private final int warehouse;
  private final int carrier;
  private int done;
  private int delivered;

  Delivery(int warehouse, int carrier) {
    this.warehouse = warehouse;
    this.carrier = carrier;
  }

  /** How many orders were delivered. */
  public int delivered() {
    return delivered;
  }

  /** How many districts had nothing to deliver. */
  public int skipped() {
    return done - delivered;
  }

  @Override
  public Type type() {
    return Type.DELIVERY;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    while (done < DISTRICTS) {
      int district = done + 1;
      int order = take(session, district);
      if (order > 0) {
        deliver(session, district, order);
      }
      session.commit();
      done++;
      delivered += order > 0 ? 1 : 0;
    }
    return true;
  }

  /** Takes the oldest order off the list; 0 if there is none. */
  private int take(Session session, int district) throws SQLException {
    String returning =
        session.abilities().deletesReturn() ? TAKE_OLDEST.get(session.dialect()) : null;
    while (true) {
      int order =
          returning == null
              ? oldest(
                  session, session.dialect().isMySqlFamily() ? LOCKED_OLDEST : OLDEST, district)
              : takeOldest(session, returning, district);
      if (order > 0 && (returning != null || remove(session, district, order))) {
        return order;
      }
      // Another delivery may have been quicker: then there is a next one, unless it was the last.
      if (oldest(session, OLDEST, district) == 0) {
        return 0;
      }
    }
  }

  private int takeOldest(Session session, String sql, int district) throws SQLException {
    PreparedStatement take = session.prepare(sql);
    if (session.dialect() == Dialect.POSTGRES) {
      Query.bind(take, warehouse, district, warehouse, district);
    } else {
      Query.bind(take, warehouse, district);
    }
    return Query.numberOrZero(take);
  }

  private int oldest(Session session, String sql, int district) throws SQLException {
    PreparedStatement select = session.prepare(sql);
    Query.bind(select, warehouse, district);
    return Query.numberOrZero(select);
  }

  private boolean remove(Session session, int district, int order) throws SQLException {
    PreparedStatement remove = session.prepare(TAKE);
    Query.bind(remove, warehouse, district, order);
    return remove.executeUpdate() == 1;
  }

  private void deliver(Session session, int district, int order) throws SQLException {
    int customer;
    BigDecimal sum;
    boolean returning = session.abilities().updatesReturn();
    Trip.Values trip =
        (returning ? HAND_OVER_RETURNING : HAND_OVER)
            .on(session)
            .numbers(carrier, warehouse, district, order)
            .time(LocalDateTime.now())
            .numbers(warehouse, district, order);
    if (returning) {
      try (ResultSet row = trip.row("order")) {
        customer = row.getInt(1);
      }
      sum = BigDecimal.ZERO;
      try (ResultSet rows = trip.rows()) {
        while (rows.next()) {
          sum = sum.add(rows.getBigDecimal(1));
        }
      }
    } else {
      trip.numbers(warehouse, district, order);
      try (ResultSet row = trip.row("order")) {
        customer = row.getInt(1);
        sum = row.getBigDecimal(2);
      }
    }
    PreparedStatement update = session.prepare(CUSTOMER);
    update.setBigDecimal(1, sum);
    update.setInt(2, warehouse);
    update.setInt(3, district);
    update.setInt(4, customer);
    update.executeUpdate();
  }
}
