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
 * there is one statement to prepare and not eleven. PostgreSQL takes all rows of a write as arrays,
 * in one round trip with the commit.
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

  private static final String UPDATE_STOCKS =
      "UPDATE bmsql_stock SET s_quantity = taken.rest, s_ytd = s_ytd + taken.quantity,"
          + " s_order_cnt = s_order_cnt + taken.orders, s_remote_cnt = s_remote_cnt + taken.remote"
          + " FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[], ?::int[])"
          + " AS taken(supplier, item, rest, quantity, orders, remote)"
          + " WHERE s_w_id = taken.supplier AND s_i_id = taken.item";
  private static final String INSERT_LINES =
      INTO_LINES
          + " SELECT ?, ?, ?, line.number, line.item, line.supplier, line.quantity,"
          + " line.cents * 0.01, line.info"
          + " FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[], ?::text[])"
          + " AS line(number, item, supplier, quantity, cents, info)";

  private static final Trip CUSTOMER_AND_ITEMS = new Trip(CUSTOMER, ITEMS);
  private static final Trip CUSTOMER_ITEMS_AND_DISTRICT =
      new Trip(CUSTOMER, ITEMS, NEXT_ORDER_RETURNING);
  private static final Trip WRITES = new Trip(UPDATE_STOCKS, INSERT_LINES);
  private static final Trip WRITES_AND_COMMIT = Trip.committed(UPDATE_STOCKS, INSERT_LINES);

  /** By dialect and district: the order with the stock of its first supplier, and of the others. */
  private static final Trip[][] ORDER_AND_STOCK = new Trip[Dialect.values().length][10];

  private static final Trip[][] MORE_STOCK = new Trip[Dialect.values().length][10];

  static {
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
    insertOrder(session, order);
    BigDecimal total = combine ? writeAtOnce(session, order, allUsed) : writeLines(session, order);
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

  /** Writes the order, and locks and reads the stock of its lines. */
  private void insertOrder(Session session, int order) throws SQLException {
    int dialect = session.dialect().ordinal();
    for (int from = 0, to; from < lines.length; from = to) {
      to = from + 1;
      while (to < lines.length && lines[to].supplier == lines[from].supplier) {
        to++;
      }
      Trip.Values trip;
      if (from == 0) {
        trip =
            ORDER_AND_STOCK[dialect][district - 1]
                .on(session)
                .numbers(warehouse, district, order, customer, lines.length, allLocal())
                .time(LocalDateTime.now())
                .numbers(warehouse, district, order);
      } else {
        trip = MORE_STOCK[dialect][district - 1].on(session);
      }
      trip.numbers(lines[from].supplier);
      fillWithItems(trip, from, to);
      readStock(trip, from, to);
    }
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

  /** Writes stock and lines of all items that exist, and commits if those are all; their sum. */
  private BigDecimal writeAtOnce(Session session, int order, boolean allUsed) throws SQLException {
    (allUsed ? WRITES_AND_COMMIT : WRITES)
        .on(session)
        .arrays(new StockWrites(lines, warehouse).arrays())
        .numbers(warehouse, district, order)
        .arrays(new LineWrites(lines).arrays())
        .changed();
    BigDecimal total = BigDecimal.ZERO;
    for (Line line : lines) {
      total = line.isFound() ? total.add(line.amount()) : total;
    }
    return total;
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
