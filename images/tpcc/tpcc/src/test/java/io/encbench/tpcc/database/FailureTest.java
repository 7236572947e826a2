package io.encbench.tpcc.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureTest {
  @ParameterizedTest
  @CsvSource({
    "40001, 0, POSTGRES, RETRY",
    "40P01, 0, POSTGRES, RETRY",
    "55P03, 0, POSTGRES, RETRY",
    "23505, 0, POSTGRES, ERROR",
    "57P01, 0, POSTGRES, LOST",
    "08006, 0, POSTGRES, LOST",
    "40001, 1213, MYSQL, RETRY",
    "HY000, 1205, MYSQL, RETRY",
    "HY000, 1205, POSTGRES, ERROR",
    "HY000, 1020, MARIADB, RETRY",
    "HY000, 1114, MARIADB, ERROR",
    "08S01, 0, MYSQL, LOST",
  })
  void codesHaveTheirMeaning(String state, int code, Dialect dialect, Failure meaning) {
    assertEquals(meaning, Failure.of(new SQLException("so", state, code), dialect));
  }

  @Test
  void anExceptionWithoutACodeIsAnError() {
    assertEquals(Failure.ERROR, Failure.of(new SQLException("so"), Dialect.MYSQL));
    assertEquals(
        Failure.LOST, Failure.of(new SQLNonTransientConnectionException("gone"), Dialect.MARIADB));
  }
}
