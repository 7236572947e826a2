package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.settings.Terminals;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long SECOND = 1_000_000_000L;

  private static Terminals alone(int count) {
    return new Terminals(count, 0, count, true);
  }

  @Test
  void noLimitIsNoDelay() {
    Pace pace = Pace.of(0, alone(8), 3, () -> 0);
    assertEquals(0, pace.delay(0));
    assertEquals(0, pace.delay(1));
  }

  @Test
  void terminalsTakeTurns() {
    // 240 a minute at 8 terminals are one every two seconds at each of them.
    assertEquals(0, Pace.of(240, alone(8), 0, () -> 0).delay(0));
    Pace last = Pace.of(240, alone(8), 7, () -> 0);
    assertEquals(7 * SECOND / 4, last.delay(0));
    assertEquals(2 * SECOND, last.delay(7 * SECOND / 4));
  }

  @Test
  void terminalsOfAllClientsTakeTurns() {
    // Two clients with two terminals each: one begins every half second, and no two at once.
    for (int number = 0; number < 4; number++) {
      Terminals own = new Terminals(2, number / 2 * 2, 4, true);
      Pace pace = Pace.of(60, own, number % 2, () -> 0);
      assertEquals(number * SECOND / 2, pace.delay(0));
    }
  }

  @Test
  void slotsThatWereMissedAreNotMadeUpFor() {
    Pace pace = Pace.of(60, alone(1), 0, () -> 0);
    assertEquals(0, pace.delay(0));
    assertEquals(0, pace.delay(10 * SECOND));
    assertEquals(SECOND, pace.delay(10 * SECOND));
  }

  @Test
  void terminalsTakeTurnsAfterAStall() {
    for (int i = 0; i < 4; i++) {
      Pace pace = Pace.of(60, alone(4), i, () -> 5 * SECOND);
      pace.delay(5 * SECOND);
      long now = 105 * SECOND + SECOND / 2;
      assertEquals((5 + 100 + (i == 0 ? 4 : i)) * SECOND, now + pace.delay(now));
    }
  }

  /** Otherwise transactions a little longer than the interval would halve the rate. */
  @Test
  void whatIsLateBeginsAtOnceAndKeepsItsSlot() {
    Pace pace = Pace.of(60, alone(1), 0, () -> 0);
    assertEquals(0, pace.delay(0));
    assertEquals(0, pace.delay(7 * SECOND / 4));
    assertEquals(SECOND / 4, pace.delay(7 * SECOND / 4));
  }
}
