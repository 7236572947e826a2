package io.encbench.tpcc.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.settings.InvalidInput;
import io.encbench.tpcc.transaction.Type;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The other program's view is the file, which it reads and writes without a mapping. */
class SliceCounterTest {
  private static final long MILLISECOND = 1_000_000;
  private static final int EVENTS = 1;
  private static final int SPANNED = 2;
  private static final int NEW_ORDERS = 3;
  private static final int HISTOGRAM = 4;

  @TempDir Path folder;
  private Path file;
  private List<SliceCounter> counters;

  @BeforeEach
  void open() throws IOException, InvalidInput {
    file = folder.resolve("counters");
    Files.write(file, new byte[SliceCounter.HEADER + 3 * SliceCounter.RECORD]);
    counters = SliceCounter.of(file.toString(), 2);
  }

  private void epoch(long epoch) throws IOException {
    ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, epoch);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(word, 0);
    }
  }

  private long word(int terminal, int number) throws IOException {
    ByteBuffer words = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    return words.getLong(SliceCounter.HEADER + terminal * SliceCounter.RECORD + 8 * number);
  }

  /** The counts that are not 0, as bucket and count. */
  private List<String> histogram(int terminal) throws IOException {
    ByteBuffer words = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    int place = SliceCounter.HEADER + terminal * SliceCounter.RECORD + 8 * HISTOGRAM;
    return IntStream.range(0, SliceCounter.BUCKETS)
        .filter(bucket -> words.getLong(place + 8 * bucket) > 0)
        .mapToObj(bucket -> bucket + "=" + words.getLong(place + 8 * bucket))
        .toList();
  }

  @Test
  void everyTerminalIsThereBeforeItsFirstTransaction() throws IOException {
    assertEquals(1, word(0, 0));
    assertEquals(1, word(1, 0));
    assertEquals(0, word(2, 0));
  }

  @Test
  void aTransactionCountsWhereItEnds() throws IOException {
    SliceCounter one = counters.get(0);
    SliceCounter other = counters.get(1);
    epoch(2);
    one.begin();
    one.end(Type.NEW_ORDER, MILLISECOND);
    assertEquals(List.of(), histogram(0), "nothing is measured until the slice counts");
    one.begin();
    other.begin();
    epoch(3);
    one.end(Type.NEW_ORDER, MILLISECOND);
    other.end(Type.PAYMENT, MILLISECOND);
    one.begin();
    one.end(Type.PAYMENT, 50 * MILLISECOND);
    assertEquals(List.of(3L, 2L), List.of(word(0, EVENTS), word(0, NEW_ORDERS)));
    assertEquals(List.of(1L, 0L), List.of(word(1, EVENTS), word(1, NEW_ORDERS)));
    assertEquals(0, word(0, SPANNED));
    // 1 ms and 50 ms of 1 us to 100 s, in 2,044 buckets that are equal by logarithm.
    assertEquals(List.of("766=1", "1200=1"), histogram(0));
    assertEquals(List.of("766=1"), histogram(1));
  }

  @Test
  void aTransactionThatWasStoppedHasNoLatency() throws IOException {
    SliceCounter one = counters.get(0);
    epoch(3);
    one.begin();
    epoch(4);
    epoch(5);
    one.end(Type.PAYMENT, 9000 * MILLISECOND);
    assertEquals(List.of(1L, 1L), List.of(word(0, EVENTS), word(0, SPANNED)));
    assertEquals(List.of(), histogram(0));
  }

  @Test
  void aTransactionThatWasStoppedCountsWhereverItEnds() throws IOException {
    SliceCounter one = counters.get(0);
    // Begun in the part that counts, in the part before it, and in the warm-up.
    for (long[] epochs : new long[][] {{3, 4}, {4, 6}, {6, 9}, {0, 2}}) {
      epoch(epochs[0]);
      one.begin();
      epoch(epochs[1]);
      one.end(Type.PAYMENT, 9000 * MILLISECOND);
    }
    assertEquals(List.of(4L, 4L), List.of(word(0, EVENTS), word(0, SPANNED)));
    assertEquals(List.of(), histogram(0));
  }

  @Test
  void whatIsOutOfRangeIsAtItsEnd() throws IOException {
    SliceCounter one = counters.get(0);
    epoch(3);
    for (long nanos : new long[] {0, 999, Long.MAX_VALUE}) {
      one.begin();
      one.end(Type.PAYMENT, nanos);
    }
    assertEquals(List.of("0=2", (SliceCounter.BUCKETS - 1) + "=1"), histogram(0));
  }

  @Test
  void aFileThatCannotBeMeantIsRefused() {
    String missing = folder.resolve("missing").toString();
    assertTrue(
        assertThrows(InvalidInput.class, () -> SliceCounter.of(missing, 1))
            .getMessage()
            .contains("missing, which cannot be mapped (NoSuchFileException)"));
    assertTrue(
        assertThrows(InvalidInput.class, () -> SliceCounter.of(file.toString(), 4))
            .getMessage()
            .contains("has 53248 bytes: for these terminals it needs 69632"));
  }

  @Test
  void withoutAFileNothingIsCounted() throws InvalidInput {
    SliceCounter none = SliceCounter.of(null, 3).get(2);
    none.begin();
    none.end(Type.NEW_ORDER, MILLISECOND);
  }
}
