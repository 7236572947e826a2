package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Traffic;
import io.encbench.tpcc.measure.Ending;
import io.encbench.tpcc.measure.Journal;
import io.encbench.tpcc.measure.Moment;
import io.encbench.tpcc.measure.Tally;
import io.encbench.tpcc.transaction.Type;
import org.junit.jupiter.api.Test;

class WindowTest {
  private final Window window = new Window();

  private static Tally transactions(int count) {
    Journal journal = new Journal();
    for (int i = 0; i < count; i++) {
      journal.add(Type.NEW_ORDER, Ending.COMMITTED, 0, 1000, new Traffic());
    }
    Tally tally = new Tally();
    journal.drain(tally, false);
    return tally;
  }

  @Test
  void whatCameBeforeAnEdgeBelongsBeforeIt() {
    window.add(transactions(1));
    assertFalse(window.hasBegun());
    window.begin(new Moment(100, 10, 1));
    window.add(transactions(20));
    window.add(transactions(30));
    assertTrue(window.isOpen());
    window.end(new Moment(105, 15, 2));
    window.add(transactions(400));
    assertTrue(window.isMeasured());
    assertEquals(50, window.inside().all().transactions());
    assertEquals(451, window.session().all().transactions());
    assertEquals(5, window.seconds());
  }
}
