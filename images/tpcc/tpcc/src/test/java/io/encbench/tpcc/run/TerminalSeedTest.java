package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalSeedTest {
  @Test
  void terminalsDrawFromTheRunsSeedUnlessTheyHaveTheirOwn() {
    assertEquals(7, TerminalSeed.of(Map.of(), 7));
    assertEquals(8, TerminalSeed.of(Map.of("ENCBENCH_TERMINAL_SEED", "8"), 7));
  }
}
