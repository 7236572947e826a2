package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import java.io.IOException;
import java.sql.SQLException;

/** One order of every customer; those before {@link #FIRST_NEW_ORDER} were delivered. */
final class Orders extends Table {
  private final long seed;

  Orders(long seed) {
    super("bmsql_oorder", "o_w_id o_d_id o_id o_c_id o_carrier_id o_ol_cnt o_all_local o_entry_d");
    this.seed = seed;
  }

  /** How many lines each order of a district has, from its first one on. */
  static int[] lines(long seed, int warehouse, int district) {
    Chance chance = Chance.stream(seed, "lines", warehouse, district);
    int[] lines = new int[ORDERS];
    for (int i = 0; i < ORDERS; i++) {
      lines[i] = chance.between(5, 15);
    }
    return lines;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    for (int district = 1; district <= DISTRICTS; district++) {
      Chance chance = Chance.stream(seed, name(), warehouse, district);
      int[] customers = chance.permutation(CUSTOMERS);
      int[] lines = lines(seed, warehouse, district);
      for (int order = 1; order <= ORDERS; order++) {
        out.number(warehouse);
        out.number(district);
        out.number(order);
        out.number(customers[order - 1]);
        if (order < FIRST_NEW_ORDER) {
          out.number(chance.between(1, 10));
        } else {
          out.nothing();
        }
        out.number(lines[order - 1]);
        out.number(1);
        out.loadTime();
        out.endRow();
      }
    }
  }
}
