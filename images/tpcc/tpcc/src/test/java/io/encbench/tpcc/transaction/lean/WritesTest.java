package io.encbench.tpcc.transaction.lean;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.encbench.tpcc.transaction.Line;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class WritesTest {
  private static Line line(int supplier, int item, int quantity) {
    Line line = new Line(supplier, item, quantity);
    line.found(new BigDecimal("2.50"), "data");
    return line;
  }

  private final Line[] lines = {
    line(1, 7, 5), line(1, 7, 4), new Line(1, Line.UNUSED_ITEM, 1), line(2, 7, 3), line(2, 9, 2)
  };

  @Test
  void linesOfOneRowAreOneChange() {
    Object[] arrays = new StockWrites(lines, 1).arrays();
    assertArrayEquals(new int[] {1, 2, 2}, (int[]) arrays[0]);
    assertArrayEquals(new int[] {7, 7, 9}, (int[]) arrays[1]);
    assertArrayEquals(new int[] {9, 3, 2}, (int[]) arrays[2]);
    assertArrayEquals(new int[] {2, 1, 1}, (int[]) arrays[3]);
    assertArrayEquals(new int[] {0, 1, 1}, (int[]) arrays[4]);
  }

  @Test
  void linesKeepTheirNumbers() {
    Object[] arrays = new LineWrites(lines).arrays();
    assertArrayEquals(new int[] {1, 2, 4, 5}, (int[]) arrays[0]);
    assertArrayEquals(new int[] {7, 7, 7, 9}, (int[]) arrays[1]);
    assertArrayEquals(new int[] {1, 1, 2, 2}, (int[]) arrays[2]);
    assertArrayEquals(new int[] {5, 4, 3, 2}, (int[]) arrays[3]);
    assertArrayEquals(new int[] {1250, 1000, 750, 500}, (int[]) arrays[4]);
  }
}
