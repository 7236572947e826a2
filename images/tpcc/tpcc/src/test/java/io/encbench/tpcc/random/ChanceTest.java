package io.encbench.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChanceTest {
  @Test
  void aStreamIsTheSameEachTime() {
    Chance one = Chance.stream(7, "stock", 3);
    Chance other = Chance.stream(7, "stock", 3);
    for (int i = 0; i < 100; i++) {
      assertEquals(one.bits(), other.bits());
    }
  }

  @Test
  void streamsOfNeighboursHaveNothingInCommon() {
    Set<Long> seen = new HashSet<>();
    for (int seed = 0; seed < 10; seed++) {
      for (int number = 0; number < 100; number++) {
        seen.add(Chance.stream(seed, "stock", number).bits());
        seen.add(Chance.stream(seed, "stock", number, 0).bits());
        seen.add(Chance.stream(seed, "customer", number).bits());
      }
    }
    assertEquals(3000, seen.size());
  }

  @Test
  void bothEndsOfARangeOccur() {
    Chance chance = Chance.stream(1, "ends");
    int[] counts = new int[5];
    for (int i = 0; i < 5000; i++) {
      counts[chance.between(3, 7) - 3]++;
    }
    for (int count : counts) {
      assertTrue(count > 850 && count < 1150, Arrays.toString(counts));
    }
  }

  @Test
  void aPermutationHasEveryNumberOnce() {
    int[] numbers = Chance.stream(1, "permutation").permutation(3000);
    assertFalse(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
    assertArrayEquals(
        IntStream.rangeClosed(1, 3000).toArray(), Arrays.stream(numbers).sorted().toArray());
  }
}
