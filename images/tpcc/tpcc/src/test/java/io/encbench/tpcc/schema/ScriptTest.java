package io.encbench.tpcc.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Dialect;
import java.util.List;
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

  private static long count(Dialect dialect, Script script, String beginning) {
    return script.statements(dialect).stream().filter(sql -> sql.startsWith(beginning)).count();
  }
}
