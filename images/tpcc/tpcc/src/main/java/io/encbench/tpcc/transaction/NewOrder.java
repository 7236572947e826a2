package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * New-Order, clause 2.4.
 *
 * <p>Items and stock are fetched with one statement for all lines (stock with one for each
 * supplying warehouse, which is one in nine cases of ten), and written with one batch. The list of
 * numbers always has fifteen places, the rest filled with the last one, so that there is one
 * statement to prepare and not eleven.
 */
final class NewOrder implements Work {
  /** A number that no item has; an order with it is rolled back at its end (clause 2.4.1.4). */
  static final int UNUSED_ITEM = 100_001;

  static final int MOST_LINES = 15;

  private static final String PLACES = String.join(",", Collections.nCopies(MOST_LINES, "?"));

  private static final String CUSTOMER =
      "SELECT c_discount, c_last, c_credit, w_tax FROM bmsql_customer"
          + " JOIN bmsql_warehouse ON w_id = c_w_id"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String ITEMS =
      "SELECT i_id, i_price, i_name, i_data FROM bmsql_item WHERE i_id IN (" + PLACES + ")";
  private static final String DISTRICT =
      "SELECT d_tax, d_next_o_id FROM bmsql_district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
  private static final String NEXT_ORDER =
      "UPDATE bmsql_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
  private static final String NEXT_ORDER_RETURNING =
      NEXT_ORDER + " RETURNING d_tax, d_next_o_id - 1";
  private static final String INSERT_ORDER =
      "INSERT INTO bmsql_oorder"
          + " (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?)";
  private static final String INSERT_NEW_ORDER =
      "INSERT INTO bmsql_new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)";
  private static final String STOCK =
      "SELECT s_i_id, s_quantity, s_data, s_dist_%02d FROM bmsql_stock"
          + " WHERE s_w_id = ? AND s_i_id IN ("
          + PLACES
          + ")";
  private static final String UPDATE_STOCK =
      "UPDATE bmsql_stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
          + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";
  private static final String INSERT_LINE =
      "INSERT INTO bmsql_order_line"
          + " (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,"
          + " ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final Trip CUSTOMER_AND_ITEMS = new Trip(CUSTOMER, ITEMS);

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

  private final int warehouse;
  private final int district;
  private final int customer;
  private final Line[] lines;

  /** An order; its lines are put into the order in which their stock is locked. */
  NewOrder(int warehouse, int district, int customer, Line[] lines) {
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.lines = lines;
    Arrays.sort(lines);
  }

  List<Line> lines() {
    return List.of(lines);
  }

  @Override
  public Type type() {
    return Type.NEW_ORDER;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    BigDecimal keep;
    BigDecimal warehouseTax;
    Trip.Values trip = CUSTOMER_AND_ITEMS.on(session).numbers(warehouse, district, customer);
    fillWithItems(trip, 0, lines.length);
    try (ResultSet row = trip.row("customer")) {
      keep = BigDecimal.ONE.subtract(row.getBigDecimal(1));
      Query.show(row, 2, 3);
      warehouseTax = row.getBigDecimal(4);
    }
    boolean allUsed = readItems(trip);
    BigDecimal districtTax;
    int order;
    boolean returning = session.abilities().updatesReturn();
    PreparedStatement select = session.prepare(returning ? NEXT_ORDER_RETURNING : DISTRICT);
    Query.bind(select, warehouse, district);
    try (ResultSet row = Query.one(select, "district")) {
      districtTax = row.getBigDecimal(1);
      order = row.getInt(2);
    }
    if (!returning) {
      PreparedStatement update = session.prepare(NEXT_ORDER);
      Query.bind(update, warehouse, district);
      update.executeUpdate();
    }
    insertOrder(session, order);
    BigDecimal total = writeLines(session, order);
    // What a terminal would show.
    total.multiply(keep).multiply(BigDecimal.ONE.add(warehouseTax).add(districtTax));
    if (!allUsed) {
      session.rollback();
      return false;
    }
    session.commit();
    return true;
  }

  /** Fifteen numbers of items: those of these lines, and the last one again and again. */
  private void fillWithItems(Trip.Values trip, int from, int to) throws SQLException {
    for (int place = 0; place < MOST_LINES; place++) {
      trip.numbers(lines[Math.min(from + place, to - 1)].item);
    }
  }

  /** Prices, names and data of the items; whether all of them exist. */
  private boolean readItems(Trip.Values trip) throws SQLException {
    for (Line line : lines) {
      line.price = null;
    }
    try (ResultSet rows = trip.rows()) {
      while (rows.next()) {
        int item = rows.getInt(1);
        BigDecimal price = rows.getBigDecimal(2);
        Query.show(rows, 3, 3);
        String data = rows.getString(4);
        for (Line line : lines) {
          if (line.item == item) {
            line.price = price;
            line.itemData = data;
          }
        }
      }
    }
    for (Line line : lines) {
      if (line.price == null) {
        if (line.item != UNUSED_ITEM) {
          throw Query.missing("item");
        }
        return false;
      }
    }
    return true;
  }

  /** Writes the order, and locks and reads the stock of its lines. */
  private void insertOrder(Session session, int order) throws SQLException {
    int allLocal = 1;
    for (Line line : lines) {
      allLocal = line.supplier == warehouse ? allLocal : 0;
    }
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
                .numbers(warehouse, district, order, customer, lines.length, allLocal)
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
    try (ResultSet rows = trip.rows()) {
      while (rows.next()) {
        int item = rows.getInt(1);
        int quantity = rows.getInt(2);
        String data = rows.getString(3);
        String info = rows.getString(4);
        // Several lines may want the same item.
        for (int i = from; i < to; i++) {
          if (lines[i].item == item) {
            quantity = lines[i].take(quantity, data, info);
          }
        }
      }
    }
  }

  /** Writes stock and lines of all items that exist; their sum. */
  private BigDecimal writeLines(Session session, int order) throws SQLException {
    PreparedStatement stock = session.prepare(UPDATE_STOCK);
    PreparedStatement insert = session.prepare(INSERT_LINE);
    BigDecimal total = BigDecimal.ZERO;
    int number = 0;
    for (Line line : lines) {
      number++;
      if (line.price == null) {
        continue;
      }
      int remote = line.supplier == warehouse ? 0 : 1;
      Query.bind(stock, line.stockLeft, line.quantity, remote, line.supplier, line.item);
      stock.addBatch();
      BigDecimal amount = line.price.multiply(BigDecimal.valueOf(line.quantity));
      total = total.add(amount);
      Query.bind(
          insert, warehouse, district, order, number, line.item, line.supplier, line.quantity);
      insert.setBigDecimal(8, amount);
      insert.setString(9, line.info);
      insert.addBatch();
    }
    stock.executeBatch();
    insert.executeBatch();
    return total;
  }

  /** One line of an order, by its input and by what the database said of it. */
  static final class Line implements Comparable<Line> {
    private static final String ORIGINAL = "ORIGINAL";

    final int supplier;
    final int item;
    final int quantity;

    private BigDecimal price;
    private String itemData;
    private int stockLeft;
    private String info;
    private boolean brand;

    Line(int supplier, int item, int quantity) {
      this.supplier = supplier;
      this.item = item;
      this.quantity = quantity;
    }

    /** Takes this line's quantity from what is in stock; returns what is left (clause 2.4.2.2). */
    int take(int inStock, String data, String districtInfo) {
      info = districtInfo;
      brand = itemData.contains(ORIGINAL) && data.contains(ORIGINAL);
      stockLeft = left(inStock, quantity);
      return stockLeft;
    }

    /** What is left: 91 are added before there would be fewer than ten. */
    static int left(int inStock, int quantity) {
      return inStock - quantity + (inStock >= quantity + 10 ? 0 : 91);
    }

    /** Whether both texts call it original, which a terminal would show. */
    boolean isBrand() {
      return brand;
    }

    @Override
    public int compareTo(Line other) {
      int bySupplier = Integer.compare(supplier, other.supplier);
      return bySupplier != 0 ? bySupplier : Integer.compare(item, other.item);
    }
  }
}
