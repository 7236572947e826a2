package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

/** One payment of every customer. {@code hist_id} is BenchmarkSQL's addition, a primary key. */
final class History extends Table {
  private final long seed;

  History(long seed) {
    super("bmsql_history", "hist_id h_c_id h_c_d_id h_c_w_id h_d_id h_w_id h_date h_amount h_data");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    Text text = new Text(Chance.stream(seed, name(), warehouse));
    long id = (long) (warehouse - 1) * DISTRICTS * CUSTOMERS;
    for (int district = 1; district <= DISTRICTS; district++) {
      for (int customer = 1; customer <= CUSTOMERS; customer++) {
        out.number(++id);
        out.number(customer);
        out.number(district);
        out.number(warehouse);
        out.number(district);
        out.number(warehouse);
        out.loadTime();
        out.decimal(10_00, 2);
        out.text(text.any(12, 24));
        out.endRow();
      }
    }
  }
}
