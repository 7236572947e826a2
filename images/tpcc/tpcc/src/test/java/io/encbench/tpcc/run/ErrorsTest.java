package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.output.Output;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ErrorsTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Errors errors = new Errors(new Output(written));

  @Test
  void errorsThatDifferInNumbersAreOneKind() {
    for (int i = 0; i < 3; i++) {
      errors.add("Term-01", new SQLException("duplicate key (" + i + ")\nmore", "23505"));
    }
    errors.add("Term-02", new SQLException((String) null));
    assertEquals("{\"23505 duplicate key (#)\":3,\"null null\":1}", errors.json().toString());
    assertEquals(2, written.toString(StandardCharsets.UTF_8).lines().count());
  }

  @Test
  void thereAreOnlySoManyKinds() {
    for (char c = 'a'; c <= 'z'; c++) {
      errors.add("Term-01", new SQLException(String.valueOf(c), "42000"));
    }
    assertEquals(20, written.toString(StandardCharsets.UTF_8).lines().count());
    assertEquals(
        6, Integer.parseInt(errors.json().toString().replaceAll(".*\"others\":(\\d+).*", "$1")));
  }
}
