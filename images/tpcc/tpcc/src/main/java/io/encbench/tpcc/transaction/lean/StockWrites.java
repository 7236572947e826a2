package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.transaction.Line;
import java.util.Arrays;

/**
 * The stock of an order's lines as arrays, one place for each row of the table.
 *
 * <p>An UPDATE changes a row once, however many lines want it, so what these want is added up.
 */
final class StockWrites {
  private final int[] suppliers;
  private final int[] items;
  private final int[] quantities;
  private final int[] orders;
  private final int[] remotes;
  private int count;

  /** Those of lines that lie beside each other if they share a row. */
  StockWrites(Line[] lines, int warehouse) {
    suppliers = new int[lines.length];
    items = new int[lines.length];
    quantities = new int[lines.length];
    orders = new int[lines.length];
    remotes = new int[lines.length];
    Line last = null;
    for (Line line : lines) {
      if (!line.isFound()) {
        continue;
      }
      if (!line.sharesStockWith(last)) {
        suppliers[count] = line.supplier;
        items[count] = line.item;
        count++;
      }
      int place = count - 1;
      quantities[place] += line.quantity;
      orders[place]++;
      remotes[place] += line.supplier == warehouse ? 0 : 1;
      last = line;
    }
  }

  /** Suppliers, items, quantities, orders and remote orders. */
  Object[] arrays() {
    return new Object[] {cut(suppliers), cut(items), cut(quantities), cut(orders), cut(remotes)};
  }

  private int[] cut(int[] values) {
    return count == values.length ? values : Arrays.copyOf(values, count);
  }
}
