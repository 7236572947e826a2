package io.encbench.tpcc.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.settings.Mix;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkSourceTest {
  private static final int MANY = 50_000;
  private static final Constants CONSTANTS = new Constants(1, 2, 3);

  /** A transaction's input, which nothing executes. */
  private interface Input extends Work {
    @Override
    default boolean attempt(Session session) {
      throw new UnsupportedOperationException();
    }
  }

  private record Order(Type type, List<Line> lines) implements Input {}

  private record Paid(Type type, int warehouse, Customer customer) implements Input {}

  private record Asked(Type type, Customer customer) implements Input {}

  private record Carried(Type type) implements Input {}

  private record Counted(Type type, int district) implements Input {}

  private static final Works INPUTS =
      new Works() {
        @Override
        public Work newOrder(int warehouse, int district, int customer, Line[] lines) {
          return new Order(Type.NEW_ORDER, List.of(lines));
        }

        @Override
        public Work payment(int warehouse, int district, Customer customer, int cents) {
          return new Paid(Type.PAYMENT, warehouse, customer);
        }

        @Override
        public Work orderStatus(Customer customer) {
          return new Asked(Type.ORDER_STATUS, customer);
        }

        @Override
        public Work delivery(int warehouse, int carrier) {
          return new Carried(Type.DELIVERY);
        }

        @Override
        public Work stockLevel(int warehouse, int district, int threshold) {
          return new Counted(Type.STOCK_LEVEL, district);
        }
      };

  private static WorkSource source(Terminal terminal, Type only) {
    Map<Type, Double> weights = new EnumMap<>(Type.class);
    for (Type type : Type.values()) {
      weights.put(type, type == only ? 100.0 : 0.0);
    }
    return new WorkSource(terminal, 4, new Mix(weights), INPUTS, CONSTANTS, 1);
  }

  private static <T extends Work> List<T> many(Type type, Class<T> what) {
    WorkSource source = source(Terminal.of(0, 4, true), type);
    return Stream.generate(source::next).limit(MANY).map(what::cast).toList();
  }

  private static double percent(long part, long of) {
    return 100.0 * part / of;
  }

  @Test
  void typesAreDrawnByTheirWeights() {
    Map<Type, Double> weights =
        Map.of(
            Type.NEW_ORDER, 45.0,
            Type.PAYMENT, 43.0,
            Type.ORDER_STATUS, 4.0,
            Type.DELIVERY, 4.0,
            Type.STOCK_LEVEL, 4.0);
    WorkSource source =
        new WorkSource(Terminal.of(0, 4, true), 4, new Mix(weights), INPUTS, CONSTANTS, 1);
    Map<Type, Integer> counts = new EnumMap<>(Type.class);
    for (int i = 0; i < MANY; i++) {
      counts.merge(source.next().type(), 1, Integer::sum);
    }
    weights.forEach(
        (type, weight) -> assertEquals(weight, percent(counts.get(type), MANY), 0.5, type.text()));
  }

  @Test
  void oneOrderInAHundredIsToBeRolledBackByItsLastItem() {
    List<Order> orders = many(Type.NEW_ORDER, Order.class);
    long rolledBack =
        orders.stream()
            .filter(order -> order.lines().stream().anyMatch(line -> line.item == Line.UNUSED_ITEM))
            .count();
    assertEquals(1.0, percent(rolledBack, MANY), 0.2);
    assertTrue(
        orders.stream()
            .noneMatch(
                order ->
                    order.lines().stream().filter(line -> line.item == Line.UNUSED_ITEM).count()
                        > 1));
  }

  @Test
  void oneLineInAHundredComesFromElsewhere() {
    List<Line> lines = new ArrayList<>();
    many(Type.NEW_ORDER, Order.class).forEach(order -> lines.addAll(order.lines()));
    assertEquals(10.0, (double) lines.size() / MANY, 0.1);
    long remote = lines.stream().filter(line -> line.supplier != 1).count();
    assertEquals(1.0, percent(remote, lines.size()), 0.1);
    assertTrue(lines.stream().allMatch(line -> line.quantity >= 1 && line.quantity <= 10));
  }

  @Test
  void linesAreInTheOrderInWhichStockIsLocked() {
    for (Order order : many(Type.NEW_ORDER, Order.class)) {
      List<Line> lines = order.lines();
      for (int i = 1; i < lines.size(); i++) {
        assertTrue(lines.get(i - 1).compareTo(lines.get(i)) <= 0);
      }
    }
  }

  @Test
  void fifteenOfAHundredPayElsewhereAndSixtyByName() {
    List<Paid> payments = many(Type.PAYMENT, Paid.class);
    long remote =
        payments.stream()
            .filter(payment -> payment.customer().warehouse() != payment.warehouse())
            .count();
    assertEquals(15.0, percent(remote, MANY), 0.6);
    long byName =
        payments.stream().filter(payment -> payment.customer().lastName() != null).count();
    assertEquals(60.0, percent(byName, MANY), 0.8);
  }

  @Test
  void stockLevelsAreOfTheTerminalsOwnDistrict() {
    WorkSource source = source(Terminal.of(9, 4, true), Type.STOCK_LEVEL);
    assertEquals(3, ((Counted) source.next()).district());
  }

  @Test
  void aTerminalThatIsNotFixedGoesEverywhere() {
    WorkSource source = source(Terminal.of(0, 4, false), Type.ORDER_STATUS);
    long warehouses =
        Stream.generate(source::next)
            .limit(200)
            .map(work -> ((Asked) work).customer().warehouse())
            .distinct()
            .count();
    assertEquals(4, warehouses);
  }

  @Test
  void stockLevelsOfATerminalThatIsNotFixedAreOfAnyDistrict() {
    WorkSource source = source(Terminal.of(0, 4, false), Type.STOCK_LEVEL);
    long districts =
        Stream.generate(source::next)
            .limit(200)
            .map(work -> ((Counted) work).district())
            .distinct()
            .count();
    assertEquals(10, districts);
  }

  @Test
  void everyTerminalHasItsOwnStreamThatIsTheSameEachTime() {
    List<Integer> one = customers(0);
    assertEquals(one, customers(0));
    assertNotEquals(one, customers(1));
  }

  private static List<Integer> customers(int terminal) {
    WorkSource source = source(Terminal.of(terminal, 4, true), Type.ORDER_STATUS);
    return Stream.generate(source::next)
        .limit(50)
        .map(work -> ((Asked) work).customer().number())
        .toList();
  }

  @Test
  void stockIsFilledUpBeforeItRunsOut() {
    assertEquals(10, Line.left(15, 5));
    assertEquals(100, Line.left(14, 5));
    assertEquals(81, Line.left(0, 10));
  }

  @Test
  void dataOfABadCustomerGrowAtTheFrontUpToFiveHundred() {
    Customer customer = new Customer(2, 3, 0, "BAROUGHTABLE");
    assertEquals(
        "7 3 2 5 1 1.50 | old", customer.dataAfter(7, 1, 5, new BigDecimal("1.50"), "old"));
    String full = customer.dataAfter(7, 1, 5, BigDecimal.ONE, "x".repeat(500));
    assertEquals(500, full.length());
    assertTrue(full.startsWith("7 3 2 5 1 1 | x"));
  }
}
