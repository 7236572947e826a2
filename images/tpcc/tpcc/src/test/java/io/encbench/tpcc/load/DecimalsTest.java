package io.encbench.tpcc.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecimalsTest {
  private static String text(long unscaled, int scale) {
    StringBuilder text = new StringBuilder();
    Decimals.append(text, unscaled, scale);
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({"0,2,0.00", "5,2,0.05", "-1000,2,-10.00", "30000000,2,300000.00", "1999,4,0.1999"})
  void placesTheComma(long unscaled, int scale, String text) {
    assertEquals(text, text(unscaled, scale));
  }

  @Test
  void agreesWithJavasOwn() {
    for (long unscaled = -12_345; unscaled < 12_345; unscaled++) {
      assertEquals(BigDecimal.valueOf(unscaled, 3).toPlainString(), text(unscaled, 3));
    }
  }
}
