package io.encbench.tpcc.transaction;

/**
 * Where a terminal stands.
 *
 * @param number its number among those of all clients, from 0 on
 * @param warehouse its own, or 0 if it takes any warehouse each time
 * @param district that of its Stock-Levels
 */
public record Terminal(int number, int warehouse, int district) {
  private static final int DISTRICTS = 10;

  /**
   * The place of a terminal: the warehouses are filled evenly, and as long as there are no more
   * than ten terminals a warehouse each has a district of its own.
   *
   * @param fixed whether it stays with its warehouse
   */
  public static Terminal of(int number, int warehouses, boolean fixed) {
    int district = number / warehouses % DISTRICTS + 1;
    return new Terminal(number, fixed ? number % warehouses + 1 : 0, district);
  }
}
