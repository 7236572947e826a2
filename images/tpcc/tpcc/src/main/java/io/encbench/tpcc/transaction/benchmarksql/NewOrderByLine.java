package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Line;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * New-Order, clause 2.4: item and stock are read a line at a time, the stock with its texts for all
 * ten districts, and written in two batches.
 */
final class NewOrderByLine implements Work {
  private static final String DISTRICT =
      "SELECT d_tax, d_next_o_id FROM bmsql_district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
  private static final String CUSTOMER =
      "SELECT c_discount, c_last, c_credit, w_tax FROM bmsql_customer"
          + " JOIN bmsql_warehouse ON w_id = c_w_id"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String NEXT_ORDER =
      "UPDATE bmsql_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
  private static final String INSERT_ORDER =
      "INSERT INTO bmsql_oorder"
          + " (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?)";
  private static final String INSERT_NEW_ORDER =
      "INSERT INTO bmsql_new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)";
  private static final String ITEM =
      "SELECT i_price, i_name, i_data FROM bmsql_item WHERE i_id = ?";
  private static final String STOCK =
      "SELECT s_quantity, s_data, "
          + IntStream.rangeClosed(1, 10)
              .mapToObj(district -> String.format("s_dist_%02d", district))
              .collect(Collectors.joining(", "))
          + " FROM bmsql_stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE";
  private static final String UPDATE_STOCK =
      "UPDATE bmsql_stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
          + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";
  private static final String INSERT_LINE =
      "INSERT INTO bmsql_order_line"
          + " (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,"
          + " ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private final int warehouse;
  private final int district;
  private final int customer;
  private final Line[] lines;

  NewOrderByLine(int warehouse, int district, int customer, Line[] lines) {
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.lines = lines;
  }

  @Override
  public Type type() {
    return Type.NEW_ORDER;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    BigDecimal tax;
    int order;
    PreparedStatement select = Query.bind(session.prepare(DISTRICT), warehouse, district);
    try (Rows row = session.query(select).one("district")) {
      tax = row.decimal(1);
      order = row.number(2);
    }
    BigDecimal keep;
    select = Query.bind(session.prepare(CUSTOMER), warehouse, district, customer);
    try (Rows row = session.query(select).one("customer")) {
      keep = BigDecimal.ONE.subtract(row.decimal(1));
      row.show(2, 3);
      tax = tax.add(row.decimal(4));
    }
    session.update(Query.bind(session.prepare(NEXT_ORDER), warehouse, district));
    insertOrder(session, order);
    int found = 0;
    BigDecimal total = BigDecimal.ZERO;
    Line last = null;
    for (int i = 0; i < lines.length; i++) {
      Line line = lines[i];
      if (readItem(session, line)) {
        readStock(session, line, last);
        total = total.add(addToBatches(session, order, i + 1, line));
        found++;
        last = line;
      }
    }
    session.batch(session.prepare(UPDATE_STOCK), found);
    session.batch(session.prepare(INSERT_LINE), found);
    // What a terminal would show.
    total.multiply(keep).multiply(BigDecimal.ONE.add(tax));
    if (found < lines.length) {
      session.rollback();
      return false;
    }
    session.commit();
    return true;
  }

  private void insertOrder(Session session, int order) throws SQLException {
    int allLocal = 1;
    for (Line line : lines) {
      allLocal = line.supplier == warehouse ? allLocal : 0;
    }
    PreparedStatement insert = session.prepare(INSERT_ORDER);
    Query.bind(insert, warehouse, district, order, customer, lines.length, allLocal);
    insert.setObject(7, LocalDateTime.now());
    session.update(insert);
    session.update(Query.bind(session.prepare(INSERT_NEW_ORDER), warehouse, district, order));
  }

  /** Whether the item exists; only the one that no order may have does not. */
  private static boolean readItem(Session session, Line line) throws SQLException {
    line.forget();
    try (Rows row = session.query(Query.bind(session.prepare(ITEM), line.item))) {
      if (!row.next()) {
        if (line.item != Line.UNUSED_ITEM) {
          throw Rows.missing("item");
        }
        return false;
      }
      line.found(row.decimal(1), row.text(3));
      row.show(2, 2);
      return true;
    }
  }

  /** Locks the stock and takes the line's quantity; the line before may have taken of it too. */
  private void readStock(Session session, Line line, Line last) throws SQLException {
    PreparedStatement select = Query.bind(session.prepare(STOCK), line.supplier, line.item);
    try (Rows row = session.query(select).one("stock")) {
      int inStock = line.sharesStockWith(last) ? last.stockLeft() : row.number(1);
      line.take(inStock, row.text(2), row.text(2 + district));
    }
  }

  private BigDecimal addToBatches(Session session, int order, int number, Line line)
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
}
