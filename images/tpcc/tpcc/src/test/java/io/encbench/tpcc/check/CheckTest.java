package io.encbench.tpcc.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.database.Dialect;
import org.junit.jupiter.api.Test;

class CheckTest {
  private static final String QUERY = "SELECT a FROM b WHERE c <> d";

  /** With the LIMIT in sight it chose nested loops, which did not end where a condition held. */
  @Test
  void postgresqlPlansAQueryForAllOfItsRows() {
    assertEquals(
        "WITH found AS MATERIALIZED (\n" + QUERY + ")\nSELECT * FROM found\nLIMIT 10001",
        Check.counted(QUERY, Dialect.POSTGRES));
  }

  @Test
  void othersAreAskedForItsFirstRows() {
    for (Dialect dialect : new Dialect[] {Dialect.MYSQL, Dialect.MARIADB}) {
      assertEquals(QUERY + "\nLIMIT 10001", Check.counted(QUERY, dialect));
    }
  }
}
