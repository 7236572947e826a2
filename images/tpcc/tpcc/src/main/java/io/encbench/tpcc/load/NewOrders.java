package io.encbench.tpcc.load;

import java.io.IOException;
import java.sql.SQLException;

/** The orders that were not delivered yet. */
final class NewOrders extends Table {
  NewOrders() {
    super("bmsql_new_order", "no_w_id no_d_id no_o_id");
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    for (int district = 1; district <= DISTRICTS; district++) {
      for (int order = FIRST_NEW_ORDER; order <= ORDERS; order++) {
        out.number(warehouse);
        out.number(district);
        out.number(order);
        out.endRow();
      }
    }
  }
}
