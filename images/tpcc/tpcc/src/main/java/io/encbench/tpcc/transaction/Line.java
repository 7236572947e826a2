package io.encbench.tpcc.transaction;

import java.math.BigDecimal;

/** One line of an order, by its input and by what the database said of it. */
public final class Line implements Comparable<Line> {
  /** A number that no item has; an order with it is rolled back at its end (clause 2.4.1.4). */
  public static final int UNUSED_ITEM = 100_001;

  /** The most lines of an order. */
  public static final int MOST = 15;

  private static final String ORIGINAL = "ORIGINAL";

  public final int supplier;
  public final int item;
  public final int quantity;

  private BigDecimal price;
  private String itemData;
  private int stockLeft;
  private String info;

  /** Whether both texts call it original (clause 2.4.2.2); a terminal would show it. */
  private boolean brand;

  /** A line as a terminal's user types it in. */
  public Line(int supplier, int item, int quantity) {
    this.supplier = supplier;
    this.item = item;
    this.quantity = quantity;
  }

  /** Forgets what an earlier attempt has read. */
  public void forget() {
    price = null;
  }

  /** What the database has of the item. */
  public void found(BigDecimal itemPrice, String data) {
    price = itemPrice;
    itemData = data;
  }

  /** Whether the database has the item. */
  public boolean isFound() {
    return price != null;
  }

  /** Takes this line's quantity from what is in stock; returns what is left (clause 2.4.2.2). */
  public int take(int inStock, String data, String districtInfo) {
    info = districtInfo;
    taken(left(inStock, quantity), data);
    return stockLeft;
  }

  /** What the database says after it has taken this line's quantity itself. */
  public void taken(int left, String data) {
    stockLeft = left;
    brand = itemData.contains(ORIGINAL) && data.contains(ORIGINAL);
  }

  /** What is left: 91 are added before there would be fewer than ten. */
  static int left(int inStock, int quantity) {
    return inStock - quantity + (inStock >= quantity + 10 ? 0 : 91);
  }

  /** Whether another line, which may be null, is of the same stock. */
  public boolean sharesStockWith(Line other) {
    return other != null && other.supplier == supplier && other.item == item;
  }

  /** What is left in stock after this line. */
  public int stockLeft() {
    return stockLeft;
  }

  /** The stock's text for the order's district. */
  public String info() {
    return info;
  }

  public BigDecimal amount() {
    return price.multiply(BigDecimal.valueOf(quantity));
  }

  @Override
  public int compareTo(Line other) {
    int bySupplier = Integer.compare(supplier, other.supplier);
    return bySupplier != 0 ? bySupplier : Integer.compare(item, other.item);
  }
}
