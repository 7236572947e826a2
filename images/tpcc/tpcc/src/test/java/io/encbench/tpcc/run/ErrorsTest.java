package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.output.Output;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorsTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Output output = new Output(written);
  private final Errors errors = new Errors(output);

  @Test
  void errorsThatDifferInNumbersAreOneKind() {
    for (int i = 0; i < 3; i++) {
      errors.add("Term-01", new SQLException("duplicate key (" + i + ")\nmore", "23505"));
    }
    errors.add("Term-02", new SQLException((String) null));
    assertEquals("{\"23505 duplicate key (#)\":3,\"null null\":1}", errors.json().toString());
    assertEquals(2, written.toString(StandardCharsets.UTF_8).lines().count());
  }

  /** A part of a key, without its digits or before the cut, would not be found any more. */
  @Test
  void aSecretIsMaskedBeforeItsNumbersAre() {
    String key = "00112233445566778899aabbccddeeff";
    output.hide(List.of(key));
    errors.add("Term-01", new SQLException("no " + "x".repeat(110) + key, "HY000"));
    errors.add("Term-01", new SQLException("no key " + key, "HY000"));
    String said = written.toString(StandardCharsets.UTF_8) + errors.json();
    assertFalse(said.matches("(?s).*(aabb|#).*"), said);
    assertTrue(said.contains("\"HY000 no key ***\":1"), said);
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
