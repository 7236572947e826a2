package io.encbench.tpcc.run;

import io.encbench.tpcc.measure.Journal;
import io.encbench.tpcc.measure.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The threads of all terminals.
 *
 * <p>A thread spends nearly all of its life waiting for the database, so that a thousand of them
 * are no more runnable at a time than the database lets go. Their stacks are small, and of these
 * only what is touched takes memory.
 */
final class Fleet {
  private static final long STACK_BYTES = 256 << 10;

  private final Stop stop;
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger running = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Journal> journals = new ArrayList<>();

  Fleet(Stop stop) {
    this.stop = stop;
  }

  /** Adds a terminal; it begins when all are let go. */
  void add(String name, Function<Journal, TerminalTask> terminal) {
    Journal journal = new Journal();
    TerminalTask task = terminal.apply(journal);
    journals.add(journal);
    running.incrementAndGet();
    Thread thread = new Thread(null, () -> live(task), name, STACK_BYTES);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  void letGo() {
    gate.countDown();
  }

  /** What all terminals did since the last call. */
  Tally drain(boolean windowBegins) {
    Tally tally = new Tally();
    journals.forEach(journal -> journal.drain(tally, windowBegins));
    return tally;
  }

  /** Waits until all have ended, but no longer than that; how many have not. */
  int join(int seconds) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int left = 0;
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      left += thread.isAlive() ? 1 : 0;
    }
    return left;
  }

  private void live(TerminalTask task) {
    try {
      gate.await();
      task.run();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      if (running.decrementAndGet() == 0) {
        stop.now();
      }
    }
  }
}
