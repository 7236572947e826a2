package io.encbench.tpcc.load;

import io.encbench.tpcc.random.Text;
import java.io.IOException;
import java.sql.SQLException;

/** Two streets, city, state and zip code, as three tables have them. */
final class Address {
  private Address() {}

  static void write(Text text, RowWriter out) throws SQLException, IOException {
    out.text(text.any(10, 20));
    out.text(text.any(10, 20));
    out.text(text.any(10, 20));
    out.text(text.letters(2));
    out.text(text.zip());
  }
}
