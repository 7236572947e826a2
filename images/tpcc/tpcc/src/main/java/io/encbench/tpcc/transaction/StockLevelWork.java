package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Stock-Level, clause 2.8: how many items of a district's last 20 orders are running short. */
public abstract class StockLevelWork implements Work {
  protected final int warehouse;
  protected final int district;
  protected final int threshold;

  protected StockLevelWork(int warehouse, int district, int threshold) {
    this.warehouse = warehouse;
    this.district = district;
    this.threshold = threshold;
  }

  /** What counts the items, with its parameters. */
  protected abstract PreparedStatement low(Session session) throws SQLException;

  @Override
  public final Type type() {
    return Type.STOCK_LEVEL;
  }

  @Override
  public final boolean attempt(Session session) throws SQLException {
    try (Rows row = session.query(low(session)).one("stock")) {
      row.number(1);
    }
    session.commit();
    return true;
  }
}
