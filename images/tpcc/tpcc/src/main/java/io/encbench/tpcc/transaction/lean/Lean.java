package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.Line;
import io.encbench.tpcc.transaction.Work;
import io.encbench.tpcc.transaction.Works;

/**
 * Statements with as few round trips as the database allows.
 *
 * <p>No transaction locks rows against the order district, customer, stock, warehouse, so that they
 * wait for each other and do not deadlock. The hottest row, the warehouse's, is locked last. On
 * PostgreSQL a Payment locks the customer before the district; a New-Order, which has the district
 * before it, only shares that customer's key.
 */
public final class Lean implements Works {
  @Override
  public Work newOrder(int warehouse, int district, int customer, Line[] lines) {
    return new NewOrder(warehouse, district, customer, lines);
  }

  @Override
  public Work payment(int warehouse, int district, Customer customer, int cents) {
    return new Payment(warehouse, district, customer, cents);
  }

  @Override
  public Work orderStatus(Customer customer) {
    return new OrderStatus(customer);
  }

  @Override
  public Work delivery(int warehouse, int carrier) {
    return new Delivery(warehouse, carrier);
  }

  @Override
  public Work stockLevel(int warehouse, int district, int threshold) {
    return new StockLevel(warehouse, district, threshold);
  }
}
