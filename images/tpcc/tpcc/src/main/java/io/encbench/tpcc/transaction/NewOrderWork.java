package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** New-Order, clause 2.4: its input, and what it sends whatever the statements. */
public abstract class NewOrderWork implements Work {
  protected static final String CUSTOMER =
      "SELECT c_discount, c_last, c_credit, w_tax FROM bmsql_customer"
          + " JOIN bmsql_warehouse ON w_id = c_w_id"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  protected static final String DISTRICT =
      "SELECT d_tax, d_next_o_id FROM bmsql_district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
  protected static final String NEXT_ORDER =
      "UPDATE bmsql_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
  protected static final String INSERT_ORDER =
      "INSERT INTO bmsql_oorder"
          + " (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?)";
  protected static final String INSERT_NEW_ORDER =
      "INSERT INTO bmsql_new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)";
  protected static final String INTO_LINES =
      "INSERT INTO bmsql_order_line"
          + " (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,"
          + " ol_amount, ol_dist_info)";

  private static final String INSERT_LINE = INTO_LINES + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String UPDATE_STOCK =
      "UPDATE bmsql_stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
          + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";

  protected final int warehouse;
  protected final int district;
  protected final int customer;
  protected final Line[] lines;

  protected NewOrderWork(int warehouse, int district, int customer, Line[] lines) {
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.lines = lines;
  }

  @Override
  public final Type type() {
    return Type.NEW_ORDER;
  }

  /** 1 if all lines are supplied by the order's own warehouse, otherwise 0. */
  protected final int allLocal() {
    for (Line line : lines) {
      if (line.supplier != warehouse) {
        return 0;
      }
    }
    return 1;
  }

  /** Adds a line and what it leaves in stock to the two batches; returns the line's amount. */
  protected final BigDecimal addToBatches(Session session, int order, int number, Line line)
      throws SQLException {
    PreparedStatement stock = session.prepare(UPDATE_STOCK);
    int remote = line.supplier == warehouse ? 0 : 1;
    Query.bind(stock, line.stockLeft(), line.quantity, remote, line.supplier, line.item);
    stock.addBatch();
    PreparedStatement insert = session.prepare(INSERT_LINE);
    Query.bind(insert, warehouse, district, order, number, line.item, line.supplier, line.quantity);
    insert.setBigDecimal(8, line.amount());
    insert.setString(9, line.info());
    insert.addBatch();
    return line.amount();
  }

  /** Executes the two batches, to which so many lines were added. */
  protected static void executeBatches(Session session, int count) throws SQLException {
    session.batch(session.prepare(UPDATE_STOCK), count);
    session.batch(session.prepare(INSERT_LINE), count);
  }
}
