package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

final class Warehouses extends Table {
  private final long seed;

  Warehouses(long seed) {
    super("bmsql_warehouse", "w_id w_ytd w_tax w_name w_street_1 w_street_2 w_city w_state w_zip");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    Chance chance = Chance.stream(seed, name(), warehouse);
    Text text = new Text(chance);
    out.number(warehouse);
    out.decimal(300_000_00, 2);
    out.decimal(chance.between(0, 2000), 4);
    out.text(text.any(6, 10));
    Address.write(text, out);
    out.endRow();
  }
}
