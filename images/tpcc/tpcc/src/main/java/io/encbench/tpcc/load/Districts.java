package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

final class Districts extends Table {
  private final long seed;

  Districts(long seed) {
    super(
        "bmsql_district",
        "d_w_id d_id d_ytd d_tax d_next_o_id"
            + " d_name d_street_1 d_street_2 d_city d_state d_zip");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    Chance chance = Chance.stream(seed, name(), warehouse);
    Text text = new Text(chance);
    for (int district = 1; district <= DISTRICTS; district++) {
      out.number(warehouse);
      out.number(district);
      out.decimal(30_000_00, 2);
      out.decimal(chance.between(0, 2000), 4);
      out.number(ORDERS + 1);
      out.text(text.any(6, 10));
      Address.write(text, out);
      out.endRow();
    }
  }
}
