package io.encbench.tpcc.random;

/** NURand(A, x, y) of clause 2.1.6: some numbers are much likelier than others. */
public final class NonUniform {
  private static final int CUSTOMERS = 3000;
  private static final int ITEMS = 100_000;

  private final Chance chance;
  private final Constants constants;

  public NonUniform(Chance chance, Constants constants) {
    this.chance = chance;
    this.constants = constants;
  }

  /** The number of a customer within a district. */
  public int customer() {
    return number(1023, 1, CUSTOMERS, constants.customer());
  }

  /** The number of an item. */
  public int item() {
    return number(8191, 1, ITEMS, constants.item());
  }

  /** A customer's last name. */
  public String lastName() {
    return LastName.of(number(255, 0, 999, constants.lastName()));
  }

  private int number(int a, int low, int high, int c) {
    int either = chance.between(0, a) | chance.between(low, high);
    return (either + c) % (high - low + 1) + low;
  }
}
