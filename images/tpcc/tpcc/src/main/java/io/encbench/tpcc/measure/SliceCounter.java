package io.encbench.tpcc.measure;

import io.encbench.tpcc.settings.InvalidInput;
import io.encbench.tpcc.transaction.Type;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One terminal's record in the file from which another program reads, while this one is stopped,
 * what it has done.
 *
 * <p>{@code images/turnstile/src/counters.rs} describes the file. The other program makes it and
 * writes the epoch; each terminal writes into its own record alone.
 */
public final class SliceCounter {
  /** The environment variable that names the file. */
  public static final String VARIABLE = "ENCBENCH_COUNTERS";

  static final int HEADER = 4096;
  static final int RECORD = 16384;
  static final int BUCKETS = 2044;

  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long PRESENT = 1;
  private static final int EVENTS = 8;
  private static final int SPANNED = 16;
  private static final int NEW_ORDERS = 24;
  private static final int HISTOGRAM = 32;
  private static final double LOWEST_NANOS = 1e3;
  private static final double HIGHEST_NANOS = 1e11;
  private static final double PER_LOGARITHM = BUCKETS / Math.log(HIGHEST_NANOS / LOWEST_NANOS);
  private static final SliceCounter NONE = new SliceCounter(null, 0);

  private final ByteBuffer file;
  private final int place;
  private long beganIn;

  private SliceCounter(ByteBuffer file, int place) {
    this.file = file;
    this.place = place;
  }

  /**
   * A counter for each terminal.
   *
   * @param file null if there is none; then they count nothing
   */
  public static List<SliceCounter> of(String file, int terminals) throws InvalidInput {
    if (file == null) {
      return Collections.nCopies(terminals, NONE);
    }
    ByteBuffer words = map(Path.of(file), HEADER + (long) terminals * RECORD);
    List<SliceCounter> counters = new ArrayList<>(terminals);
    for (int i = 0; i < terminals; i++) {
      int place = HEADER + i * RECORD;
      WORD.setRelease(words, place, PRESENT);
      counters.add(new SliceCounter(words, place));
    }
    return counters;
  }

  private static ByteBuffer map(Path file, long length) throws InvalidInput {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < length) {
        throw new InvalidInput(
            String.format(
                "%s names %s, which has %d bytes: for these terminals it needs %d",
                VARIABLE, file, channel.size(), length));
      }
      return channel.map(MapMode.READ_WRITE, 0, length);
    } catch (IOException error) {
      throw new InvalidInput(
          String.format(
              "%s names %s, which cannot be mapped (%s)",
              VARIABLE, file, error.getClass().getSimpleName()));
    }
  }

  /** A transaction begins: to be called before its first reading of the clock. */
  public void begin() {
    if (file != null) {
      beganIn = epoch();
    }
  }

  /** It ended as it should, after so long: to be called after the last reading of the clock. */
  public void end(Type type, long nanos) {
    if (file == null) {
      return;
    }
    long endedIn = epoch();
    if (type == Type.NEW_ORDER) {
      increment(NEW_ORDERS);
    }
    increment(EVENTS);
    // A server answers while the program is stopped, so that what a stop interrupted mostly ends
    // before the next slice counts.
    if (slice(endedIn) != slice(beganIn)) {
      increment(SPANNED);
    } else if (endedIn % 2 == 1) {
      increment(HISTOGRAM + Long.BYTES * bucket(nanos));
    }
  }

  private long epoch() {
    return (long) WORD.getVolatile(file, 0);
  }

  /** A slice has two epochs: the even one until it counts, and the odd one while it does. */
  private static long slice(long epoch) {
    return epoch / 2;
  }

  private void increment(int word) {
    WORD.setRelease(file, place + word, (long) WORD.get(file, place + word) + 1);
  }

  private static int bucket(long nanos) {
    int found = (int) (Math.log(Math.max(nanos, 1) / LOWEST_NANOS) * PER_LOGARITHM);
    return Math.max(0, Math.min(BUCKETS - 1, found));
  }
}
