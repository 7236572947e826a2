package io.encbench.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NonUniformTest {
  private static final int DRAWS = 300_000;

  private final NonUniform drawn =
      new NonUniform(Chance.stream(1, "test"), new Constants(157, 223, 7911));

  @Test
  void customersAreWithinTheirRangeAndFarFromEven() {
    int[] counts = new int[3001];
    for (int i = 0; i < DRAWS; i++) {
      counts[drawn.customer()]++;
    }
    assertEquals(0, counts[0]);
    int seen = 0;
    int most = 0;
    for (int count : counts) {
      seen += count > 0 ? 1 : 0;
      most = Math.max(most, count);
    }
    // Each of 3,000 would be drawn 100 times if they were even.
    assertTrue(seen > 2700, "only " + seen + " customers");
    assertTrue(most > 500, "the likeliest customer was drawn " + most + " times");
  }

  @Test
  void itemsAreWithinTheirRange() {
    for (int i = 0; i < DRAWS; i++) {
      int item = drawn.item();
      assertTrue(item >= 1 && item <= 100_000, () -> "item " + item);
    }
  }

  @Test
  void theConstantMovesTheNames() {
    NonUniform other = new NonUniform(Chance.stream(1, "test"), new Constants(157 + 65, 223, 7911));
    Map<String, Integer> names = new HashMap<>();
    for (int i = 0; i < DRAWS; i++) {
      names.merge(drawn.lastName(), 1, Integer::sum);
      names.merge(other.lastName(), -1, Integer::sum);
    }
    long different = names.values().stream().filter(count -> Math.abs(count) > 300).count();
    assertTrue(different > 100, "the frequencies of " + different + " names differ");
  }

  @Test
  void namesAreMadeOfThreeSyllables() {
    assertEquals("BARBARBAR", LastName.of(0));
    assertEquals("PRICALLYOUGHT", LastName.of(371));
    assertEquals("EINGEINGEING", LastName.of(999));
  }
}
