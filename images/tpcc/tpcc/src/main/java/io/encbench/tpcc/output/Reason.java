package io.encbench.tpcc.output;

/** Why something failed, in one line. */
public final class Reason {
  private Reason() {}

  /**
   * What the failure says and, where that is another thing, what its first cause says: a driver's
   * "Communications link failure" alone hides that a certificate was refused.
   */
  public static String of(Throwable failed) {
    String outer = null;
    String root = null;
    for (Throwable one = failed; one != null; one = one.getCause()) {
      String said = firstLine(one);
      if (said != null) {
        outer = outer == null ? said : outer;
        root = said;
      }
    }
    if (outer == null) {
      return failed.toString();
    }
    return outer.contains(root) ? outer : outer + ": " + root;
  }

  private static String firstLine(Throwable one) {
    return one.getMessage() == null ? null : one.getMessage().lines().findFirst().orElse(null);
  }
}
