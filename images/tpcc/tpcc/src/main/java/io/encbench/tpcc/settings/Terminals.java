package io.encbench.tpcc.settings;

/**
 * The terminals of this client among those of all its replicas.
 *
 * @param count this client's own
 * @param offset how many terminals the replicas before this one have
 * @param total those of all replicas together
 * @param warehouseFixed whether a terminal stays with its place, or takes any each time
 */
public record Terminals(int count, int offset, int total, boolean warehouseFixed) {
  /** The specification's: each terminal of a warehouse has a district of its own. */
  static final int PER_WAREHOUSE = 10;

  void check(int warehouses) throws InvalidInput {
    if (offset + count > total) {
      throw new InvalidInput(
          "terminalOffset "
              + offset
              + " and terminals "
              + count
              + " go beyond terminalsTotal "
              + total
              + ": terminalsTotal is what all clients have together");
    }
    long most = (long) PER_WAREHOUSE * warehouses;
    if (warehouseFixed && total > most) {
      throw new InvalidInput(
          "terminalWarehouseFixed=true gives each terminal a district of its own, and "
              + total
              + " terminals are more than the "
              + most
              + " districts of "
              + warehouses
              + (warehouses == 1 ? " warehouse" : " warehouses")
              + ": use at least "
              + ((total + PER_WAREHOUSE - 1) / PER_WAREHOUSE)
              + " warehouses, at most "
              + most
              + " terminals, or terminalWarehouseFixed=false");
    }
  }
}
