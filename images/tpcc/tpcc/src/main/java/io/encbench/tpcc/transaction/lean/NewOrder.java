package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Line;
import io.encbench.tpcc.transaction.NewOrderWork;
import io.encbench.tpcc.transaction.Query;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Collections;

/**
 * New-Order: items and stock are fetched with one statement for all lines (stock with one for each
 * supplying warehouse, which is one in nine cases of ten), and written with one batch.
 *
 * <p>The list of numbers always has fifteen places, the rest filled with the last one, so that
 * there is one statement to prepare and not eleven. PostgreSQL takes all lines as arrays, in one
 * statement that reads their stock, changes it and writes them, in one round trip with the commit.
 */
final class NewOrder extends NewOrderWork {
  private static final String PLACES = String.join(",", Collections.nCopies(Line.MOST, "?"));

  private static final String ITEMS =
      "SELECT i_id, i_price, i_name, i_data FROM bmsql_item WHERE i_id IN (" + PLACES + ")";
  private static final String NEXT_ORDER_RETURNING =
      NEXT_ORDER + " RETURNING d_tax, d_next_o_id - 1";
  private static final String STOCK =
      "SELECT s_i_id, s_quantity, s_data, s_dist_%02d FROM bmsql_stock"
          + " WHERE s_w_id = ? AND s_i_id IN ("
          + PLACES
          + ")";

  /** As {@link Line#take} would of line after line: 91 are added so often that ten are left. */
  private static final String LINES =
      "WITH taken AS (UPDATE bmsql_stock SET s_quantity = s_quantity - wanted.quantity"
          + " + 91 * greatest(0, (100 - s_quantity + wanted.quantity) / 91),"
          + " s_ytd = s_ytd + wanted.quantity, s_order_cnt = s_order_cnt + wanted.orders,"
          + " s_remote_cnt = s_remote_cnt + wanted.remote"
          + " FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[])"
          + " AS wanted(supplier, item, quantity, orders, remote)"
          + " WHERE s_w_id = wanted.supplier AND s_i_id = wanted.item"
          + " RETURNING s_w_id, s_i_id, s_quantity, s_data, s_dist_%02d AS info),"
          + " written AS ("
          + INTO_LINES
          + " SELECT ?, ?, ?, line.number, s_i_id, s_w_id, line.quantity, line.cents * 0.01, info"
          + " FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[])"
          + " AS line(number, item, supplier, quantity, cents)"
          + " JOIN taken ON s_w_id = line.supplier AND s_i_id = line.item)"
          + " SELECT s_w_id, s_i_id, s_quantity, s_data FROM taken";

  private static final Trip CUSTOMER_AND_ITEMS = new Trip(CUSTOMER, ITEMS);
  private static final Trip CUSTOMER_ITEMS_AND_DISTRICT =
      new Trip(CUSTOMER, ITEMS, NEXT_ORDER_RETURNING);

  /** By dialect and district: the order with the stock of its first supplier, and of the others. */
  private static final Trip[][] ORDER_AND_STOCK = new Trip[Dialect.values().length][10];

  private static final Trip[][] MORE_STOCK = new Trip[Dialect.values().length][10];

  /** By district: the order with its lines, without a commit and with it. */
  private static final Trip[] WHOLE = new Trip[10];

  private static final Trip[] WHOLE_AND_COMMIT = new Trip[10];

  static {
    for (int district = 1; district <= 10; district++) {
      String lines = String.format(LINES, district);
      WHOLE[district - 1] = new Trip(INSERT_ORDER, INSERT_NEW_ORDER, lines);
      WHOLE_AND_COMMIT[district - 1] = Trip.committed(INSERT_ORDER, INSERT_NEW_ORDER, lines);
    }
    for (Dialect dialect : Dialect.values()) {
      for (int district = 1; district <= 10; district++) {
        String stock = String.format(STOCK, district) + dialect.forUpdate();
        ORDER_AND_STOCK[dialect.ordinal()][district - 1] =
            new Trip(INSERT_ORDER, INSERT_NEW_ORDER, stock);
        MORE_STOCK[dialect.ordinal()][district - 1] = new Trip(stock);
      }
    }
  }

  NewOrder(int warehouse, int district, int customer, Line[] lines) {
    super(warehouse, district, customer, lines);
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    boolean combine = session.abilities().combine();
    BigDecimal keep;
    BigDecimal warehouseTax;
    Trip.Values trip =
        (combine ? CUSTOMER_ITEMS_AND_DISTRICT : CUSTOMER_AND_ITEMS)
            .on(session)
            .numbers(warehouse, district, customer);
    fillWithItems(trip, 0, lines.length);
    if (combine) {
      trip.numbers(warehouse, district);
    }
    try (Rows row = trip.row("customer")) {
      keep = BigDecimal.ONE.subtract(row.decimal(1));
      row.show(2, 3);
      warehouseTax = row.decimal(4);
    }
    boolean allUsed = readItems(trip);
    BigDecimal districtTax;
    int order;
    try (Rows row = combine ? trip.row("district") : district(session)) {
      districtTax = row.decimal(1);
      order = row.number(2);
    }
    if (!combine) {
      session.update(Query.bind(session.prepare(NEXT_ORDER), warehouse, district));
    }
    BigDecimal total = combine ? writeAtOnce(session, order, allUsed) : insertOrder(session, order);
    // What a terminal would show.
    total.multiply(keep).multiply(BigDecimal.ONE.add(warehouseTax).add(districtTax));
    if (!allUsed) {
      session.rollback();
    } else if (!combine) {
      session.commit();
    }
    return allUsed;
  }

  /** The district, locked. */
  private Rows district(Session session) throws SQLException {
    return session
        .query(Query.bind(session.prepare(DISTRICT), warehouse, district))
        .one("district");
  }

  /** Fifteen numbers of items: those of these lines, and the last one again and again. */
  private void fillWithItems(Trip.Values trip, int from, int to) throws SQLException {
    for (int place = 0; place < Line.MOST; place++) {
      trip.numbers(lines[Math.min(from + place, to - 1)].item);
    }
  }

  /** Prices, names and data of the items; whether all of them exist. */
  private boolean readItems(Trip.Values trip) throws SQLException {
    for (Line line : lines) {
      line.forget();
    }
    try (Rows rows = trip.rows()) {
      while (rows.next()) {
        int item = rows.number(1);
        BigDecimal price = rows.decimal(2);
        rows.show(3, 3);
        String data = rows.text(4);
        for (Line line : lines) {
          if (line.item == item) {
            line.found(price, data);
          }
        }
      }
    }
    for (Line line : lines) {
      if (!line.isFound()) {
        if (line.item != Line.UNUSED_ITEM) {
          throw Rows.missing("item");
        }
        return false;
      }
    }
    return true;
  }

  /** Writes the order with stock and lines of all items that exist; their sum. */
  private BigDecimal insertOrder(Session session, int order) throws SQLException {
    int dialect = session.dialect().ordinal();
    for (int from = 0, to; from < lines.length; from = to) {
      to = from + 1;
      while (to < lines.length && lines[to].supplier == lines[from].supplier) {
        to++;
      }
      Trip.Values trip;
      if (from == 0) {
        trip = ORDER_AND_STOCK[dialect][district - 1].on(session);
        fillWithOrder(trip, order);
      } else {
        trip = MORE_STOCK[dialect][district - 1].on(session);
      }
      trip.numbers(lines[from].supplier);
      fillWithItems(trip, from, to);
      readStock(trip, from, to);
    }
    return writeLines(session, order);
  }

  private void fillWithOrder(Trip.Values trip, int order) throws SQLException {
    trip.numbers(warehouse, district, order, customer, lines.length, allLocal())
        .time(LocalDateTime.now())
        .numbers(warehouse, district, order);
  }

  /** Reads the stock of the lines with one supplier. */
  private void readStock(Trip.Values trip, int from, int to) throws SQLException {
    try (Rows rows = trip.rows()) {
      while (rows.next()) {
        int item = rows.number(1);
        int quantity = rows.number(2);
        String data = rows.text(3);
        String info = rows.text(4);
        // Several lines may want the same item.
        for (int i = from; i < to; i++) {
          if (lines[i].item == item) {
            quantity = lines[i].take(quantity, data, info);
          }
        }
      }
    }
  }

  /** The same in one round trip, which also commits if all items exist. */
  private BigDecimal writeAtOnce(Session session, int order, boolean allUsed) throws SQLException {
    Trip.Values trip = (allUsed ? WHOLE_AND_COMMIT : WHOLE)[district - 1].on(session);
    fillWithOrder(trip, order);
    trip.arrays(new StockWrites(lines, warehouse).arrays())
        .numbers(warehouse, district, order)
        .arrays(new LineWrites(lines).arrays());
    try (Rows rows = trip.rows()) {
      while (rows.next()) {
        readStockTaken(rows.number(1), rows.number(2), rows.number(3), rows.text(4));
      }
    }
    BigDecimal total = BigDecimal.ZERO;
    for (Line line : lines) {
      total = line.isFound() ? total.add(line.amount()) : total;
    }
    return total;
  }

  private void readStockTaken(int supplier, int item, int left, String data) {
    for (Line line : lines) {
      if (line.supplier == supplier && line.item == item) {
        line.taken(left, data);
      }
    }
  }

  /** Writes stock and lines of all items that exist; their sum. */
  private BigDecimal writeLines(Session session, int order) throws SQLException {
    BigDecimal total = BigDecimal.ZERO;
    int number = 0;
    int count = 0;
    for (Line line : lines) {
      number++;
      if (line.isFound()) {
        total = total.add(addToBatches(session, order, number, line));
        count++;
      }
    }
    executeBatches(session, count);
    return total;
  }
}
