package io.encbench.tpcc.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.database.Traffic;
import io.encbench.tpcc.transaction.Type;
import org.junit.jupiter.api.Test;

class JournalTest {
  private final Journal journal = new Journal();

  private Tally drain() {
    Tally tally = new Tally();
    journal.drain(tally, false);
    return tally;
  }

  @Test
  void everyEntryIsTakenOnce() {
    for (int i = 0; i < 1000; i++) {
      journal.add(Type.PAYMENT, Ending.COMMITTED, i % 3, 1000, new Traffic());
    }
    journal.add(Type.NEW_ORDER, Ending.ROLLED_BACK, 0, 2000, new Traffic());
    journal.add(Type.STOCK_LEVEL, Ending.ERROR, 10, 3_600_000_000L, new Traffic());
    journal.addDelivery(7, 3);
    journal.addReconnect();
    Tally first = drain();
    assertEquals(1000, first.of(Type.PAYMENT).committed());
    assertEquals(999, first.of(Type.PAYMENT).retries());
    assertEquals(1, first.of(Type.NEW_ORDER).rolledBack());
    assertEquals(1, first.of(Type.STOCK_LEVEL).errors());
    assertEquals(10, first.of(Type.STOCK_LEVEL).retries());
    assertEquals(1001, first.all().transactions());
    assertEquals(1001, first.all().latencies().count());
    assertEquals(7, first.deliveredOrders());
    assertEquals(3, first.skippedDistricts());
    assertEquals(1, first.reconnects());
    Tally second = drain();
    assertEquals(0, second.all().transactions());
    assertEquals(0, second.deliveredOrders());
    assertEquals(0, second.reconnects());
  }

  @Test
  void whatWasTakenIsNotOverwrittenByWhatFollows() {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i <= round; i++) {
        journal.add(Type.DELIVERY, Ending.COMMITTED, 0, 100L * round, new Traffic());
      }
      assertEquals(round + 1, drain().of(Type.DELIVERY).committed());
    }
  }

  @Test
  void theWindowIsCountedFromItsBeginning() {
    assertEquals(0, journal.add(Type.PAYMENT, Ending.COMMITTED, 0, 1, new Traffic()));
    journal.drain(new Tally(), true);
    assertEquals(1, journal.add(Type.PAYMENT, Ending.COMMITTED, 0, 1, new Traffic()));
    drain();
    assertEquals(2, journal.add(Type.PAYMENT, Ending.ERROR, 0, 1, new Traffic()));
  }

  @Test
  void nothingIsLostBetweenTwoThreads() throws InterruptedException {
    int many = 200_000;
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < many; i++) {
                journal.add(Type.PAYMENT, Ending.COMMITTED, 0, i, new Traffic());
              }
            });
    Tally sum = new Tally();
    writer.start();
    while (writer.isAlive()) {
      sum.add(drain());
    }
    sum.add(drain());
    assertEquals(many, sum.of(Type.PAYMENT).committed());
    assertEquals(many, sum.of(Type.PAYMENT).latencies().count());
  }
}
