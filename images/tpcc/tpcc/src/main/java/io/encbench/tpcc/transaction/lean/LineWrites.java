package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.transaction.Line;

/** An order's lines as arrays; those of items that do not exist are left out. */
final class LineWrites {
  private final int[] numbers;
  private final int[] items;
  private final int[] suppliers;
  private final int[] quantities;
  private final int[] cents;

  LineWrites(Line[] lines) {
    int count = 0;
    for (Line line : lines) {
      count += line.isFound() ? 1 : 0;
    }
    numbers = new int[count];
    items = new int[count];
    suppliers = new int[count];
    quantities = new int[count];
    cents = new int[count];
    int place = 0;
    for (int i = 0; i < lines.length; i++) {
      Line line = lines[i];
      if (line.isFound()) {
        numbers[place] = i + 1;
        items[place] = line.item;
        suppliers[place] = line.supplier;
        quantities[place] = line.quantity;
        cents[place] = line.amount().movePointRight(2).intValueExact();
        place++;
      }
    }
  }

  /** Numbers, items, suppliers, quantities and amounts in cents. */
  Object[] arrays() {
    return new Object[] {numbers, items, suppliers, quantities, cents};
  }
}
