package io.encbench.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TextTest {
  private final Text text = new Text(Chance.stream(1, "text"));

  @Test
  void lengthsAreDrawnAndNothingHasToBeEscaped() {
    boolean[] seen = new boolean[17];
    for (int i = 0; i < 1000; i++) {
      String string = text.any(8, 16);
      assertTrue(string.matches("[-_0-9A-Za-z]{8,16}"), string);
      seen[string.length()] = true;
    }
    assertTrue(seen[8] && seen[16]);
  }

  @Test
  void zipCodesEndAsClause4327Says() {
    assertTrue(text.zip().matches("[0-9]{4}11111"));
  }

  @Test
  void aTenthIsOriginal() {
    int original = 0;
    for (int i = 0; i < 10_000; i++) {
      String data = text.data();
      assertTrue(data.length() >= 26 && data.length() <= 50);
      original += data.contains("ORIGINAL") ? 1 : 0;
    }
    assertEquals(1000, original, 120);
  }
}
