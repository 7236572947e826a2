package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
  private static BigDecimal decimal(String text) {
    return Numbers.decimal(text.getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-0", "7", "-42", "0.00", "-10.05", ".5", "-.5", "5.", "-5.", "1e3", "+5"})
  void aDecimalIsWhatJavaMakesOfIt(String text) {
    assertEquals(new BigDecimal(text), decimal(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", ".", "-.", "--1", "1.2.3", "1-", "x"})
  void whatIsNoNumberIsNoDecimal(String text) {
    assertThrows(NumberFormatException.class, () -> decimal(text));
  }
}
