package io.encbench.tpcc.random;

/** Last names made of three syllables (clause 4.3.2.3). */
public final class LastName {
  private static final String[] SYLLABLES = {
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
  };
  private static final String[] NAMES = new String[1000];

  static {
    for (int i = 0; i < NAMES.length; i++) {
      NAMES[i] = SYLLABLES[i / 100] + SYLLABLES[i / 10 % 10] + SYLLABLES[i % 10];
    }
  }

  private LastName() {}

  /** The name of a number from 0 to 999, one syllable for each of its three digits. */
  public static String of(int number) {
    return NAMES[number];
  }
}
