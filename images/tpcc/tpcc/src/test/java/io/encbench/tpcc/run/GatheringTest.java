package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private static final Map<String, String> OTHERS =
      Map.of("ENCBENCH_START_AT", "1700000000.5", "ENCBENCH_GATHER", "3.25");

  @Test
  void aClientByItselfWaitsForNobody() {
    assertEquals(0, Gathering.left(Map.of("ENCBENCH_START_AT", "1700000000.5"), 0));
  }

  @Test
  void othersAreWaitedFor() {
    assertEquals(3_750_000_000L, Gathering.left(OTHERS, 1_700_000_000_000L), 1_000_000);
  }

  @Test
  void aMomentThatHasPassedIsNotWaitedFor() {
    assertEquals(0, Gathering.left(OTHERS, 1_700_000_009_000L));
  }
}
