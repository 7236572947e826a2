package io.encbench.tpcc.transaction;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.random.NonUniform;
import io.encbench.tpcc.settings.Mix;
import java.util.Arrays;

/** What a terminal's user types in: one transaction after another. One thread uses it. */
public final class WorkSource {
  private static final int DISTRICTS = 10;

  private final Terminal terminal;
  private final int warehouses;
  private final Mix mix;
  private final Works works;
  private final Chance chance;
  private final NonUniform nonUniform;

  /**
   * A terminal's source.
   *
   * @param works what makes the transactions
   * @param constants those of the run
   * @param seed that of all terminals
   */
  public WorkSource(
      Terminal terminal, int warehouses, Mix mix, Works works, Constants constants, long seed) {
    this.terminal = terminal;
    this.warehouses = warehouses;
    this.mix = mix;
    this.works = works;
    this.chance = Chance.stream(seed, "terminal", terminal.number());
    this.nonUniform = new NonUniform(chance, constants);
  }

  /** The next transaction. */
  public Work next() {
    int warehouse =
        terminal.warehouse() == 0 ? chance.between(1, warehouses) : terminal.warehouse();
    return switch (mix.pick(chance.hundred())) {
      case NEW_ORDER -> newOrder(warehouse);
      case PAYMENT -> payment(warehouse);
      case ORDER_STATUS -> works.orderStatus(customer(warehouse, district()));
      case DELIVERY -> works.delivery(warehouse, chance.between(1, 10));
      case STOCK_LEVEL -> {
        int district = terminal.district() == 0 ? district() : terminal.district();
        yield works.stockLevel(warehouse, district, chance.between(10, 20));
      }
    };
  }

  /** Clause 2.4.1. */
  private Work newOrder(int warehouse) {
    int district = district();
    int customer = nonUniform.customer();
    Line[] lines = new Line[chance.between(5, Line.MOST)];
    boolean rollBack = chance.percent(1);
    for (int i = 0; i < lines.length; i++) {
      boolean unused = rollBack && i == lines.length - 1;
      int supplier = chance.percent(1) ? another(warehouse) : warehouse;
      int item = unused ? Line.UNUSED_ITEM : nonUniform.item();
      lines[i] = new Line(supplier, item, chance.between(1, 10));
    }
    Arrays.sort(lines);
    return works.newOrder(warehouse, district, customer, lines);
  }

  /** Clause 2.5.1: fifteen of a hundred customers are of another warehouse. */
  private Work payment(int warehouse) {
    int district = district();
    boolean remote = chance.percent(15);
    Customer customer =
        remote ? customer(another(warehouse), district()) : customer(warehouse, district);
    return works.payment(warehouse, district, customer, chance.between(100, 500_000));
  }

  /** Sixty of a hundred by last name, the others by number. */
  private Customer customer(int warehouse, int district) {
    return chance.percent(60)
        ? new Customer(warehouse, district, 0, nonUniform.lastName())
        : new Customer(warehouse, district, nonUniform.customer(), null);
  }

  private int district() {
    return chance.between(1, DISTRICTS);
  }

  /** A warehouse other than this one; this one if it is the only one. */
  private int another(int warehouse) {
    if (warehouses == 1) {
      return warehouse;
    }
    int drawn = chance.between(1, warehouses - 1);
    return drawn < warehouse ? drawn : drawn + 1;
  }
}
