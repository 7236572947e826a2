package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

final class OrderLines extends Table {
  private final long seed;

  OrderLines(long seed) {
    super(
        "bmsql_order_line",
        "ol_w_id ol_d_id ol_o_id ol_number ol_i_id ol_delivery_d ol_amount"
            + " ol_supply_w_id ol_quantity ol_dist_info");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    for (int district = 1; district <= DISTRICTS; district++) {
      Chance chance = Chance.stream(seed, name(), warehouse, district);
      Text text = new Text(chance);
      int[] lines = Orders.lines(seed, warehouse, district);
      for (int order = 1; order <= ORDERS; order++) {
        boolean delivered = order < FIRST_NEW_ORDER;
        for (int line = 1; line <= lines[order - 1]; line++) {
          out.number(warehouse);
          out.number(district);
          out.number(order);
          out.number(line);
          out.number(chance.between(1, ITEMS));
          if (delivered) {
            out.loadTime();
          } else {
            out.nothing();
          }
          out.decimal(delivered ? 0 : chance.between(1, 999_999), 2);
          out.number(warehouse);
          out.number(5);
          out.text(text.any(24, 24));
          out.endRow();
        }
      }
    }
  }
}
