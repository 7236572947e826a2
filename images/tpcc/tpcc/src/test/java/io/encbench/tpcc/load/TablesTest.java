package io.encbench.tpcc.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The population of clause 4.3.3.1. */
class TablesTest {
  private static final long SEED = 1;

  private static String value(Table table, List<String> row, String column) {
    return row.get(table.columns().indexOf(column));
  }

  @Test
  void everyTableHasItsCardinality() throws Exception {
    assertEquals(100_000, Rows.of(new Items(SEED), 0).size());
    assertEquals(1, Rows.of(new Warehouses(SEED), 2).size());
    assertEquals(10, Rows.of(new Districts(SEED), 2).size());
    assertEquals(100_000, Rows.of(new Stock(SEED), 2).size());
    assertEquals(30_000, Rows.of(new Customers(SEED), 2).size());
    assertEquals(30_000, Rows.of(new History(SEED), 2).size());
    assertEquals(30_000, Rows.of(new Orders(SEED), 2).size());
    assertEquals(9_000, Rows.of(new NewOrders(), 2).size());
    assertEquals(300_000, Rows.of(new OrderLines(SEED), 2).size(), 3_000);
  }

  @Test
  void everyRowHasAValueForEachColumn() throws Exception {
    for (Table table :
        List.of(
            new Warehouses(SEED),
            new Districts(SEED),
            new Customers(SEED),
            new History(SEED),
            new Orders(SEED),
            new NewOrders())) {
      for (List<String> row : Rows.of(table, 1)) {
        assertEquals(table.columns().size(), row.size(), table.name());
      }
    }
  }

  @Test
  void theSameSeedMakesTheSameRows() throws Exception {
    assertEquals(Rows.of(new Customers(SEED), 3), Rows.of(new Customers(SEED), 3));
    assertNotEquals(Rows.of(new Customers(SEED), 3), Rows.of(new Customers(SEED + 1), 3));
    List<String> one = Rows.of(new Warehouses(SEED), 1).get(0);
    List<String> other = Rows.of(new Warehouses(SEED), 2).get(0);
    assertNotEquals(one.subList(2, one.size()), other.subList(2, other.size()));
  }

  @Test
  void ordersSayHowManyLinesThereAre() throws Exception {
    Table orders = new Orders(SEED);
    Table lines = new OrderLines(SEED);
    Map<String, Integer> wanted = new HashMap<>();
    for (List<String> row : Rows.of(orders, 1)) {
      wanted.put(
          value(orders, row, "o_d_id") + "/" + value(orders, row, "o_id"),
          Integer.valueOf(value(orders, row, "o_ol_cnt")));
    }
    Map<String, Integer> counted =
        Rows.of(lines, 1).stream()
            .collect(
                Collectors.toMap(
                    row -> value(lines, row, "ol_d_id") + "/" + value(lines, row, "ol_o_id"),
                    row -> 1,
                    Integer::sum));
    assertEquals(wanted, counted);
    assertTrue(wanted.values().stream().allMatch(count -> count >= 5 && count <= 15));
  }

  @Test
  void whatWasDeliveredHasACarrierAndIsNotOutstanding() throws Exception {
    Table orders = new Orders(SEED);
    for (List<String> row : Rows.of(orders, 1)) {
      boolean delivered = Integer.parseInt(value(orders, row, "o_id")) < 2101;
      assertEquals(delivered, value(orders, row, "o_carrier_id") != null);
    }
    Table lines = new OrderLines(SEED);
    for (List<String> row : Rows.of(lines, 1)) {
      boolean delivered = Integer.parseInt(value(lines, row, "ol_o_id")) < 2101;
      assertEquals(delivered, value(lines, row, "ol_delivery_d") != null);
      assertEquals(delivered, value(lines, row, "ol_amount").equals("0.00"));
    }
    assertEquals(List.of("1", "1", "2101"), Rows.of(new NewOrders(), 1).get(0));
  }

  @Test
  void everyCustomerHasOneOrderAndEveryNameACustomer() throws Exception {
    Table orders = new Orders(SEED);
    assertEquals(
        3000,
        Rows.of(orders, 1).stream()
            .filter(row -> value(orders, row, "o_d_id").equals("10"))
            .map(row -> value(orders, row, "o_c_id"))
            .distinct()
            .count());
    Table customers = new Customers(SEED);
    assertEquals(
        1000,
        Rows.of(customers, 1).stream()
            .filter(row -> value(customers, row, "c_d_id").equals("1"))
            .map(row -> value(customers, row, "c_last"))
            .distinct()
            .count());
  }

  @Test
  void numbersOfHistoryGoOnFromWarehouseToWarehouse() throws Exception {
    List<List<String>> first = Rows.of(new History(SEED), 1);
    assertEquals("1", first.get(0).get(0));
    assertEquals("30000", first.get(29_999).get(0));
    assertEquals("30001", Rows.of(new History(SEED), 2).get(0).get(0));
  }
}
