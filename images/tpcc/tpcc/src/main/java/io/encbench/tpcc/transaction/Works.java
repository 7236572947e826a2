package io.encbench.tpcc.transaction;

/** The five business transactions of one kind of statements, made from their input. */
public interface Works {
  /**
   * New-Order.
   *
   * @param lines in the order in which their stock is to be locked
   */
  Work newOrder(int warehouse, int district, int customer, Line[] lines);

  /** A payment of so many cents at a district, by a customer of this one or of another. */
  Work payment(int warehouse, int district, Customer customer, int cents);

  /** Order-Status. */
  Work orderStatus(Customer customer);

  /** Delivery. */
  Work delivery(int warehouse, int carrier);

  /** Stock-Level. */
  Work stockLevel(int warehouse, int district, int threshold);
}
