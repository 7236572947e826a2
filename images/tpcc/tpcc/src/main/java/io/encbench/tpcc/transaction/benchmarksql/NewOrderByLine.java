package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Line;
import io.encbench.tpcc.transaction.NewOrderWork;
import io.encbench.tpcc.transaction.Query;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * New-Order: item and stock are read a line at a time, the stock with its texts for all ten
 * districts, and written in two batches.
 */
final class NewOrderByLine extends NewOrderWork {
  private static final String ITEM =
      "SELECT i_price, i_name, i_data FROM bmsql_item WHERE i_id = ?";
  private static final String STOCK =
      "SELECT s_quantity, s_data, "
          + IntStream.rangeClosed(1, 10)
              .mapToObj(district -> String.format("s_dist_%02d", district))
              .collect(Collectors.joining(", "))
          + " FROM bmsql_stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE";

  NewOrderByLine(int warehouse, int district, int customer, Line[] lines) {
    super(warehouse, district, customer, lines);
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
    executeBatches(session, found);
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
    PreparedStatement insert = session.prepare(INSERT_ORDER);
    Query.bind(insert, warehouse, district, order, customer, lines.length, allLocal());
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
}
