package io.encbench.tpcc.run;

import io.encbench.tpcc.measure.Moment;
import io.encbench.tpcc.measure.Tally;

/** What is measured: everything that ended between two moments; and what ended outside of them. */
final class Window {
  private final Tally inside = new Tally();
  private final Tally outside = new Tally();
  private Moment start;
  private Moment end;

  void begin(Moment now) {
    start = now;
  }

  void end(Moment now) {
    end = now;
  }

  /** Adds what ended since the last call; to be called with what came before an edge first. */
  void add(Tally interval) {
    (isOpen() ? inside : outside).add(interval);
  }

  boolean hasBegun() {
    return start != null;
  }

  boolean isOpen() {
    return start != null && end == null;
  }

  boolean isMeasured() {
    return end != null && start != null;
  }

  Moment start() {
    return start;
  }

  Moment end() {
    return end;
  }

  double seconds() {
    return end.monotonic() - start.monotonic();
  }

  Tally inside() {
    return inside;
  }

  /** Everything, from the first transaction of the warm-up to the last one. */
  Tally session() {
    Tally all = new Tally();
    all.add(inside);
    all.add(outside);
    return all;
  }
}
