package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Delivery, clause 2.7: its input, what came of it, and what it sends whatever the statements. */
public abstract class DeliveryWork implements Work {
  protected static final int DISTRICTS = 10;

  protected static final String OLDEST =
      "SELECT no_o_id FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ?"
          + " ORDER BY no_o_id LIMIT 1";
  protected static final String LOCKED_OLDEST = OLDEST + " FOR UPDATE";
  protected static final String TAKE =
      "DELETE FROM bmsql_new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
  protected static final String CARRIER =
      "UPDATE bmsql_oorder SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
  protected static final String LINES =
      "UPDATE bmsql_order_line SET ol_delivery_d = ?"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

  private static final String BALANCE =
      "UPDATE bmsql_customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

  protected final int warehouse;
  protected final int carrier;

  /** Districts whose oldest order was delivered for good. */
  protected int delivered;

  /** Districts that had no order to deliver. */
  protected int skipped;

  protected DeliveryWork(int warehouse, int carrier) {
    this.warehouse = warehouse;
    this.carrier = carrier;
  }

  @Override
  public final Type type() {
    return Type.DELIVERY;
  }

  @Override
  public final int delivered() {
    return delivered;
  }

  @Override
  public final int skipped() {
    return skipped;
  }

  /** Adds an order's sum to the balance of its customer. */
  protected final void addToBalance(Session session, int district, int customer, BigDecimal sum)
      throws SQLException {
    PreparedStatement update = session.prepare(BALANCE);
    update.setBigDecimal(1, sum);
    update.setInt(2, warehouse);
    update.setInt(3, district);
    update.setInt(4, customer);
    session.update(update);
  }
}
