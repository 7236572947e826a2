package io.encbench.tpcc.transaction;

/**
 * Where a terminal stands.
 *
 * @param number its number among those of all clients, from 0 on
 * @param warehouse its own, or 0 if it takes any warehouse each time
 * @param district that of its Stock-Levels, or 0 if it takes any district each time
 */
public record Terminal(int number, int warehouse, int district) {
  private static final int DISTRICTS = 10;

  /**
   * The place of a terminal: the warehouses are filled evenly, and as long as there are no more
   * than ten terminals a warehouse each has a district of its own.
   *
   * @param fixed whether it stays with its warehouse and district
   */
  public static Terminal of(int number, int warehouses, boolean fixed) {
    return fixed
        ? new Terminal(number, number % warehouses + 1, number / warehouses % DISTRICTS + 1)
        : new Terminal(number, 0, 0);
  }
}
