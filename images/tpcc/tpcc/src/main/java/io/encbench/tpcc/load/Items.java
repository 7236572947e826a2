package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

/** The items, which all warehouses share. */
final class Items extends Table {
  private final long seed;

  Items(long seed) {
    super("bmsql_item", "i_id i_name i_price i_data i_im_id");
    this.seed = seed;
  }

  @Override
  boolean perWarehouse() {
    return false;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    Chance chance = Chance.stream(seed, name());
    Text text = new Text(chance);
    for (int item = 1; item <= ITEMS; item++) {
      out.number(item);
      out.text(text.any(14, 24));
      out.decimal(chance.between(100, 10_000), 2);
      out.text(text.data());
      out.number(chance.between(1, 10_000));
      out.endRow();
    }
  }
}
