package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Chance;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.random.LastName;
import io.encbench.tpcc.random.NonUniform;
import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

final class Customers extends Table {
  /** Each of the thousand last names occurs at least once in a district. */
  private static final int ONE_OF_EACH_NAME = 1000;

  private final long seed;

  Customers(long seed) {
    super(
        "bmsql_customer",
        "c_w_id c_d_id c_id c_discount c_credit c_last c_first c_credit_lim c_balance"
            + " c_ytd_payment c_payment_cnt c_delivery_cnt"
            + " c_street_1 c_street_2 c_city c_state c_zip c_phone c_since c_middle c_data");
    this.seed = seed;
  }

  @Override
  void write(int warehouse, RowWriter out) throws SQLException, IOException {
    for (int district = 1; district <= DISTRICTS; district++) {
      Chance chance = Chance.stream(seed, name(), warehouse, district);
      NonUniform names = new NonUniform(chance, Constants.ofLoad(seed));
      Text text = new Text(chance);
      for (int customer = 1; customer <= CUSTOMERS; customer++) {
        out.number(warehouse);
        out.number(district);
        out.number(customer);
        out.decimal(chance.between(0, 5000), 4);
        out.text(chance.percent(10) ? "BC" : "GC");
        out.text(customer <= ONE_OF_EACH_NAME ? LastName.of(customer - 1) : names.lastName());
        out.text(text.any(8, 16));
        out.decimal(50_000_00, 2);
        out.decimal(-10_00, 2);
        out.decimal(10_00, 2);
        out.number(1);
        out.number(0);
        Address.write(text, out);
        out.text(text.digits(16));
        out.loadTime();
        out.text("OE");
        out.text(text.any(300, 500));
        out.endRow();
      }
    }
  }
}
