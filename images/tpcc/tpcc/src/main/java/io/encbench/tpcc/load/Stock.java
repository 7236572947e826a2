package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

final class Stock extends Table {
  private final long seed;

  Stock(long seed) {
    super(
        "bmsql_stock",
        "s_w_id s_i_id s_quantity s_ytd s_order_cnt s_remote_cnt s_data"
            + " s_dist_01 s_dist_02 s_dist_03 s_dist_04 s_dist_05"
            + " s_dist_06 s_dist_07 s_dist_08 s_dist_09 s_dist_10");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    Chance chance = Chance.stream(seed, name(), warehouse);
    Text text = new Text(chance);
    for (int item = 1; item <= ITEMS; item++) {
      out.number(warehouse);
      out.number(item);
      out.number(chance.between(10, 100));
      out.number(0);
      out.number(0);
      out.number(0);
      out.text(text.data());
      for (int district = 1; district <= DISTRICTS; district++) {
        out.text(text.any(24, 24));
      }
      out.endRow();
    }
  }
}
