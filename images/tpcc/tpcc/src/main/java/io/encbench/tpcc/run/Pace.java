package io.encbench.tpcc.run;

import io.encbench.tpcc.settings.Terminals;
import java.util.function.LongSupplier;

/**
 * When a terminal may begin its transactions, if their number a minute is limited.
 *
 * <p>A terminal has a slot in every interval, and keeps it whatever happens: terminals that waited
 * for the same thing would otherwise begin together ever after.
 */
final class Pace {
  private final long interval;
  private final LongSupplier start;

  /** The next slot, in nanoseconds after the start. */
  private long next;

  private Pace(long interval, long first, LongSupplier start) {
    this.interval = interval;
    this.next = first;
    this.start = start;
  }

  /**
   * The pace of one of this client's terminals; the limit is theirs together. The terminals of all
   * clients, which begin at one moment, take turns.
   *
   * @param perMinute 0 for no limit
   * @param index among this client's, from 0
   * @param start the monotonic time in nanoseconds at which the run began; asked when it has
   */
  static Pace of(int perMinute, Terminals terminals, int index, LongSupplier start) {
    long interval = interval(perMinute, terminals.count());
    long first = interval / terminals.total() * (terminals.offset() + index);
    return new Pace(interval, first, start);
  }

  /** How long a terminal waits from one begin to the next, in nanoseconds; 0 for no limit. */
  static long interval(int perMinute, int terminals) {
    return perMinute == 0 ? 0 : 60_000_000_000L * terminals / perMinute;
  }

  /**
   * How many nanoseconds to wait before the next begin. What is late begins at once, but slots that
   * were missed are not made up for.
   */
  long delay(long now) {
    if (interval == 0) {
      return 0;
    }
    long late = now - start.getAsLong() - next;
    if (late >= interval) {
      long missed = (late + interval - 1) / interval;
      next += missed * interval;
      late -= missed * interval;
    }
    next += interval;
    return Math.max(0, -late);
  }
}
