package io.encbench.tpcc.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.settings.Mix;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkSourceTest {
  private static final int MANY = 50_000;
  private static final Constants CONSTANTS = new Constants(1, 2, 3);

  private static WorkSource source(Terminal terminal, Type only) {
    Map<Type, Double> weights = new EnumMap<>(Type.class);
    for (Type type : Type.values()) {
      weights.put(type, type == only ? 100.0 : 0.0);
    }
    return new WorkSource(terminal, 4, new Mix(weights), CONSTANTS, 1);
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
    WorkSource source = new WorkSource(Terminal.of(0, 4, true), 4, new Mix(weights), CONSTANTS, 1);
    Map<Type, Integer> counts = new EnumMap<>(Type.class);
    for (int i = 0; i < MANY; i++) {
      counts.merge(source.next().type(), 1, Integer::sum);
    }
    weights.forEach(
        (type, weight) -> assertEquals(weight, percent(counts.get(type), MANY), 0.5, type.text()));
  }

  @Test
  void oneOrderInAHundredIsToBeRolledBackByItsLastItem() {
    List<NewOrder> orders = many(Type.NEW_ORDER, NewOrder.class);
    long rolledBack =
        orders.stream()
            .filter(
                order -> order.lines().stream().anyMatch(line -> line.item == NewOrder.UNUSED_ITEM))
            .count();
    assertEquals(1.0, percent(rolledBack, MANY), 0.2);
    assertTrue(
        orders.stream()
            .noneMatch(
                order ->
                    order.lines().stream().filter(line -> line.item == NewOrder.UNUSED_ITEM).count()
                        > 1));
  }

  @Test
  void oneLineInAHundredComesFromElsewhere() {
    List<NewOrder.Line> lines = new ArrayList<>();
    many(Type.NEW_ORDER, NewOrder.class).forEach(order -> lines.addAll(order.lines()));
    assertEquals(10.0, (double) lines.size() / MANY, 0.1);
    long remote = lines.stream().filter(line -> line.supplier != 1).count();
    assertEquals(1.0, percent(remote, lines.size()), 0.1);
    assertTrue(lines.stream().allMatch(line -> line.quantity >= 1 && line.quantity <= 10));
  }

  @Test
  void linesAreInTheOrderInWhichStockIsLocked() {
    for (NewOrder order : many(Type.NEW_ORDER, NewOrder.class)) {
      List<NewOrder.Line> lines = order.lines();
      for (int i = 1; i < lines.size(); i++) {
        assertTrue(lines.get(i - 1).compareTo(lines.get(i)) <= 0);
      }
    }
  }

  @Test
  void fifteenOfAHundredPayElsewhereAndSixtyByName() {
    List<Payment> payments = many(Type.PAYMENT, Payment.class);
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
    assertEquals(3, ((StockLevel) source.next()).district());
  }

  @Test
  void aTerminalThatIsNotFixedGoesEverywhere() {
    WorkSource source = source(Terminal.of(0, 4, false), Type.ORDER_STATUS);
    long warehouses =
        Stream.generate(source::next)
            .limit(200)
            .map(work -> ((OrderStatus) work).customer().warehouse())
            .distinct()
            .count();
    assertEquals(4, warehouses);
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
        .map(work -> ((OrderStatus) work).customer().number())
        .toList();
  }

  @Test
  void stockIsFilledUpBeforeItRunsOut() {
    assertEquals(10, NewOrder.Line.left(15, 5));
    assertEquals(100, NewOrder.Line.left(14, 5));
    assertEquals(81, NewOrder.Line.left(0, 10));
  }
}
