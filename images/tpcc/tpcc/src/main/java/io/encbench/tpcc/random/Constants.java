package io.encbench.tpcc.random;

/**
 * The constants C of the non-uniform distribution (clause 2.1.6), chosen once for a database and,
 * for last names, once more for a run.
 */
public record Constants(int lastName, int customer, int item) {
  private static final int LAST_NAMES = 255;
  private static final int CUSTOMERS = 1023;
  private static final int ITEMS = 8191;

  /** The constants of a database made from this seed. */
  public static Constants ofLoad(long seed) {
    Chance chance = Chance.stream(seed, "constants");
    return new Constants(
        chance.between(0, LAST_NAMES), chance.between(0, CUSTOMERS), chance.between(0, ITEMS));
  }

  /** Those of a run on this database: another constant for last names, as clause 2.1.6.1 wants. */
  public Constants ofRun(long seed) {
    Chance chance = Chance.stream(seed, "constants of the run");
    int chosen;
    do {
      chosen = chance.between(0, LAST_NAMES);
    } while (!mayFollow(chosen, lastName));
    return new Constants(chosen, customer, item);
  }

  /** Whether a run may use this constant with a database that was loaded with the other one. */
  static boolean mayFollow(int run, int load) {
    int delta = Math.abs(run - load);
    return delta >= 65 && delta <= 119 && delta != 96 && delta != 112;
  }
}
