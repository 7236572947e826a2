package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.Line;
import io.encbench.tpcc.transaction.Work;
import io.encbench.tpcc.transaction.Works;

/**
 * The statements that a server sees from BenchmarkSQL, each in a round trip of its own, whatever
 * the database could do better.
 *
 * <p>They follow from the profiles of TPC-C's clauses 2.4 to 2.8 and from what is published of
 * BenchmarkSQL's statements; {@code docs/tpcc.md} has their numbers, and a contract test counts
 * them. Its order of locks can deadlock where the other statements do not, as BenchmarkSQL can.
 */
public final class BenchmarkSql implements Works {
  @Override
  public Work newOrder(int warehouse, int district, int customer, Line[] lines) {
    return new NewOrderByLine(warehouse, district, customer, lines);
  }

  @Override
  public Work payment(int warehouse, int district, Customer customer, int cents) {
    return new PaymentByTable(warehouse, district, customer, cents);
  }

  @Override
  public Work orderStatus(Customer customer) {
    return new OrderStatusByMaximum(customer);
  }

  @Override
  public Work delivery(int warehouse, int carrier) {
    return new DeliveryAsOne(warehouse, carrier);
  }

  @Override
  public Work stockLevel(int warehouse, int district, int threshold) {
    return new StockLevelAsOne(warehouse, district, threshold);
  }
}
