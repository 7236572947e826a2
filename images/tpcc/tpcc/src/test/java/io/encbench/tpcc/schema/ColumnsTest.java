package io.encbench.tpcc.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.schema.Columns.Column;
import io.encbench.tpcc.schema.Columns.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ColumnsTest {
  @Test
  void theyAreInTheirOrderWithoutTheKey() {
    assertEquals(
        List.of(
            new Column("no_w_id", Kind.INTEGER),
            new Column("no_d_id", Kind.INTEGER),
            new Column("no_o_id", Kind.INTEGER)),
        Columns.of(Dialect.MYSQL, "bmsql_new_order"));
    List<Column> history = Columns.of(Dialect.MYSQL, "bmsql_history");
    assertEquals(new Column("hist_id", Kind.INTEGER), history.get(0));
    assertEquals(new Column("h_date", Kind.TIMESTAMP), history.get(6));
    assertEquals(new Column("h_amount", Kind.DECIMAL), history.get(7));
    assertEquals(new Column("h_data", Kind.TEXT), history.get(8));
  }

  @ParameterizedTest
  @EnumSource
  void everyDialectHasThemAll(Dialect dialect) {
    assertEquals(21, Columns.of(dialect, "bmsql_customer").size());
    assertEquals(17, Columns.of(dialect, "bmsql_stock").size());
    assertEquals(10, Columns.of(dialect, "bmsql_order_line").size());
    assertEquals(9, Columns.of(dialect, "bmsql_warehouse").size());
  }
}
