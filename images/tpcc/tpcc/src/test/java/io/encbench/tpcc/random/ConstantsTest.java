package io.encbench.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConstantsTest {
  @Test
  void theRunsConstantKeepsItsDistance() {
    for (long seed = 0; seed < 2000; seed++) {
      Constants load = Constants.ofLoad(seed);
      Constants run = load.ofRun(seed + 1);
      assertTrue(Constants.mayFollow(run.lastName(), load.lastName()), load + " " + run);
      assertEquals(load.customer(), run.customer());
      assertEquals(load.item(), run.item());
    }
  }

  @Test
  void clause2161() {
    assertTrue(Constants.mayFollow(65, 0));
    assertTrue(Constants.mayFollow(0, 119));
    assertFalse(Constants.mayFollow(64, 0));
    assertFalse(Constants.mayFollow(120, 0));
    assertFalse(Constants.mayFollow(96, 0));
    assertFalse(Constants.mayFollow(200, 88));
  }
}
