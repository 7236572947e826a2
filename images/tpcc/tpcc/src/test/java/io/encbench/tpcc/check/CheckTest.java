package io.encbench.tpcc.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.database.Dialect;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckTest {
  private static final String QUERY = "SELECT a FROM b WHERE c <> d";

  /** The number of a query is not that of its condition: two conditions are two queries. */
  @Test
  void everyQuerySaysItsClause() {
    List<Integer> clauses =
        Condition.of(true).stream()
            .map(condition -> condition.says().replaceFirst(".*\\(3\\.3\\.2\\.(\\d+)\\)$", "$1"))
            .map(Integer::valueOf)
            .toList();
    assertEquals(List.of(1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), clauses);
  }

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
