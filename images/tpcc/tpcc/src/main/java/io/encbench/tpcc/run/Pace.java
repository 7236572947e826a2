package io.encbench.tpcc.run;

/** When a terminal may begin its transactions, if their number a minute is limited. */
final class Pace {
  private final long interval;
  private long next;

  private Pace(long interval, long next) {
    this.interval = interval;
    this.next = next;
  }

  /**
   * The pace of one of some terminals; the limit is theirs together, and they take turns.
   *
   * @param perMinute 0 for no limit
   * @param start the monotonic time in nanoseconds at which the run begins
   */
  static Pace of(int perMinute, int terminals, int index, long start) {
    long interval = interval(perMinute, terminals);
    return new Pace(interval, start + interval / terminals * index);
  }

  /** How long a terminal waits from one begin to the next, in nanoseconds; 0 for no limit. */
  static long interval(int perMinute, int terminals) {
    return perMinute == 0 ? 0 : 60_000_000_000L * terminals / perMinute;
  }

  /** How many nanoseconds to wait before the next begin. Time that was lost is not made up for. */
  long delay(long now) {
    if (interval == 0) {
      return 0;
    }
    long delay = Math.max(0, next - now);
    next = Math.max(next, now) + interval;
    return delay;
  }
}
