package io.encbench.tpcc.measure;

import io.encbench.tpcc.database.Traffic;
import io.encbench.tpcc.transaction.Type;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * What one terminal has done since the last look.
 *
 * <p>The terminal writes a number for each transaction, and the measuring thread takes all of them
 * away each second. So nothing is shared by two terminals, a moment cuts the counts and the
 * latencies of a transaction alike, and the memory does not grow with histograms by terminals.
 */
public final class Journal {
  private static final int FIRST_SIZE = 64;
  private static final int TYPE_BITS = 3;
  private static final int ENDING_BITS = 2;
  private static final int RETRY_BITS = 6;
  private static final int MICROS_SHIFT = TYPE_BITS + ENDING_BITS + RETRY_BITS;
  private static final Type[] TYPES = Type.values();
  private static final Ending[] ENDINGS = Ending.values();

  private long[] entries = new long[FIRST_SIZE];
  private long[] spare = new long[FIRST_SIZE];
  private final Traffic[] traffic =
      Stream.generate(Traffic::new).limit(TYPES.length).toArray(Traffic[]::new);
  private int count;
  private boolean measuring;
  private int measured;
  private int delivered;
  private int skipped;
  private int reconnects;

  /**
   * A transaction that ended, with how often it was tried again and how long it took.
   *
   * @param took what was sent and received for it
   * @return how many have ended since the window began
   */
  public synchronized int add(Type type, Ending ending, int retries, long micros, Traffic took) {
    if (count == entries.length) {
      entries = Arrays.copyOf(entries, 2 * count);
    }
    entries[count++] =
        micros << MICROS_SHIFT
            | (long) Math.min(retries, (1 << RETRY_BITS) - 1) << (TYPE_BITS + ENDING_BITS)
            | (long) ending.ordinal() << TYPE_BITS
            | type.ordinal();
    traffic[type.ordinal()].add(took);
    measured += measuring ? 1 : 0;
    return measured;
  }

  /** Districts that a Delivery went through, whether or not it came to its end. */
  public synchronized void addDelivery(int orders, int districtsSkipped) {
    delivered += orders;
    skipped += districtsSkipped;
  }

  public synchronized void addReconnect() {
    reconnects++;
  }

  /**
   * Takes away all that was written so far. Only one thread may read.
   *
   * @param windowBegins whether this is the moment from which on entries count
   */
  public void drain(Tally into, boolean windowBegins) {
    long[] taken;
    int taking;
    synchronized (this) {
      taken = entries;
      taking = count;
      measuring |= windowBegins;
      entries = spare;
      count = 0;
      into.addDelivery(delivered, skipped);
      into.addReconnects(reconnects);
      for (Type type : TYPES) {
        into.addTraffic(type, traffic[type.ordinal()]);
        traffic[type.ordinal()].clear();
      }
      delivered = 0;
      skipped = 0;
      reconnects = 0;
    }
    for (int i = 0; i < taking; i++) {
      long entry = taken[i];
      into.entry(
          TYPES[(int) entry & (1 << TYPE_BITS) - 1],
          ENDINGS[(int) (entry >>> TYPE_BITS) & (1 << ENDING_BITS) - 1],
          (int) (entry >>> (TYPE_BITS + ENDING_BITS)) & (1 << RETRY_BITS) - 1,
          entry >>> MICROS_SHIFT);
    }
    spare = taken;
  }
}
