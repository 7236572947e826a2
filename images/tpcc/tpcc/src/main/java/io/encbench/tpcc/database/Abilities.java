package io.encbench.tpcc.database;

/**
 * What spares round trips, where database and driver can do it.
 *
 * @param combine whether several statements may be sent as one text, each with its own result; such
 *     a database also returns the rows that an UPDATE has changed, and takes arrays for rows
 * @param deletesFirst whether a DELETE can remove the first of its rows alone, and return it
 */
public record Abilities(boolean combine, boolean deletesFirst) {
  private static final Abilities PLAIN = new Abilities(false, false);

  /**
   * Those of a dialect by way of a driver.
   *
   * @param url the driver's; that of MySQL refuses to ask a DELETE for rows
   * @param plain whether every statement is to be a plain one that is sent by itself, for drivers
   *     that have to understand it
   */
  static Abilities of(Dialect dialect, String url, boolean plain) {
    if (plain) {
      return PLAIN;
    }
    return switch (dialect) {
      case POSTGRES -> new Abilities(true, false);
      case MARIADB -> new Abilities(false, Encbench.inner(url).startsWith("jdbc:mariadb:"));
      case MYSQL -> PLAIN;
    };
  }
}
