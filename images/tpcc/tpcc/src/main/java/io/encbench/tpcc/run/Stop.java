package io.encbench.tpcc.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** What makes all terminals stop, and why it came before its time, if so. */
final class Stop {
  private final CountDownLatch latch = new CountDownLatch(1);
  private final AtomicReference<String> failure = new AtomicReference<>();

  /** The run is over. */
  void now() {
    latch.countDown();
  }

  /** The run has failed; the first reason stays. */
  void because(String reason) {
    failure.compareAndSet(null, reason);
    latch.countDown();
  }

  boolean asked() {
    return latch.getCount() == 0;
  }

  /** Why the run has failed, or null. */
  String failure() {
    return failure.get();
  }

  /** Waits, but no longer than to the end of the run; whether that has come. */
  boolean await(long nanos) {
    try {
      return latch.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
