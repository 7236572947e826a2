package io.encbench.tpcc.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Dialect;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScriptTest {
  @Test
  void statementsEndWithALine() {
    assertEquals(
        List.of("create table a (\n  b char(1) default ';x'\n)", "drop table a"),
        Script.split(
            """
            -- A comment; with a semicolon;
            create table a (
              b char(1) default ';x'
            );

            drop table a;
            """));
    assertThrows(IllegalArgumentException.class, () -> Script.split("drop table a"));
  }

  @ParameterizedTest
  @EnumSource
  void everyDialectHasEveryScript(Dialect dialect) {
    assertEquals(10, count(dialect, Script.TABLES, "create table bmsql_"));
    assertEquals(10, count(dialect, Script.DROP, "drop table if exists bmsql_"));
    assertEquals(10, count(dialect, Script.FOREIGN_KEYS, "alter table bmsql_"));
    assertEquals(1, count(dialect, Script.KEYS, "create index bmsql_customer_idx1 "));
    assertEquals(1, count(dialect, Script.KEYS, "create unique index bmsql_oorder_idx1 "));
    assertTrue(count(dialect, Script.FINISH, "") >= 1);
  }

  /** 230 payments a second on one warehouse, of 2,500.00 on average. */
  @ParameterizedTest
  @EnumSource
  void totalsOfPaymentsHoldThoseOfAWeek(Dialect dialect) {
    String tables = String.join("\n", Script.TABLES.statements(dialect));
    BigDecimal week = BigDecimal.valueOf(230L * 2_500).multiply(BigDecimal.valueOf(7 * 86_400));
    for (String column : List.of("w_ytd", "d_ytd")) {
      Matcher found = Pattern.compile(column + " +decimal\\((\\d+),2\\)").matcher(tables);
      assertTrue(found.find(), column);
      BigDecimal bound = BigDecimal.TEN.pow(Integer.parseInt(found.group(1)) - 2);
      assertTrue(week.compareTo(bound) < 0, column + " ends at " + bound);
    }
  }

  private static long count(Dialect dialect, Script script, String beginning) {
    return script.statements(dialect).stream().filter(sql -> sql.startsWith(beginning)).count();
  }
}
