package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which counters are encrypted, and how many of them for nothing. */
class KeyStreamTest {
  private static final int BLOCK = Ghash.BLOCK;

  /** Leaves the counters as they are and counts. */
  private static final class Counting extends Gcm {
    private int calls;
    private int blocks;

    @Override
    void encrypt(byte[] from, byte[] to, int count) {
      System.arraycopy(from, 0, to, 0, count * BLOCK);
      calls++;
      blocks += count;
    }
  }

  private final Counting cipher = new Counting();
  private final KeyStream stream = new KeyStream(cipher);
  private final Binding[] columns = {
    new Binding("t", "a"), new Binding("t", "b"), new Binding("t", "c"), new Binding("t", "d")
  };

  /** Reads a value's stream and compares it with what the counters of the value are. */
  private void read(long counter, int length, Binding column) throws Exception {
    int at = stream.begin(counter, length, column);
    int done = 0;
    while (done < length) {
      int there = Math.min(length - done, KeyStream.ROOM);
      ByteBuffer expected = ByteBuffer.allocate(there + BLOCK);
      for (int block = done / BLOCK + 1; expected.position() < there; block++) {
        expected.putInt(0).putLong(counter).putInt(block);
      }
      byte[] found = new byte[there];
      System.arraycopy(stream.bytes(), at, found, 0, there);
      assertArrayEquals(Arrays.copyOf(expected.array(), there), found);
      done += there;
      if (done < length) {
        stream.resume(counter, done, length);
        at = 0;
      }
    }
  }

  /** Reads one of a row's four columns. */
  private void read(long counter, int length) throws Exception {
    read(counter, length, columns[(int) counter & 3]);
  }

  @Test
  void valuesInTurnAreEncryptedTogether() throws Exception {
    for (int counter = 0; counter < 1000; counter++) {
      read(counter, 30);
    }
    assertTrue(cipher.calls <= 48, cipher.calls + " calls");
    assertTrue(cipher.blocks <= 2 * 1024, cipher.blocks + " blocks");
  }

  @Test
  void rowsWhoseValuesHaveSeveralWidthsAreEncryptedTogether() throws Exception {
    for (int counter = 0; counter < 1000; counter++) {
      read(counter, counter % 4 == 3 ? 40 : 30);
    }
    int needed = 750 * 2 + 250 * 3;
    assertTrue(cipher.calls <= 60, cipher.calls + " calls");
    assertTrue(cipher.blocks <= needed + 48, cipher.blocks + " blocks");
  }

  @Test
  void aWiderValueNowAndThenIsNotMuchMoreWork() throws Exception {
    for (int counter = 0; counter < 1000; counter++) {
      read(counter, counter % 50 == 49 ? 40 : 30);
    }
    assertTrue(cipher.calls <= 72, cipher.calls + " calls");
    assertTrue(cipher.blocks <= 3 * 1024, cipher.blocks + " blocks");
  }

  @Test
  void ofValuesThatAreSkippedNothingIsEncrypted() throws Exception {
    for (int counter = 0; counter < 4000; counter += 4) {
      read(counter, 30);
    }
    assertEquals(2 * 1000, cipher.blocks);
  }

  @Test
  void ofColumnsThatAreNotReadNothingIsEncrypted() throws Exception {
    // The first, second and fourth of four: the first of the next row comes after the fourth.
    for (int counter = 0; counter < 4000; counter += 4) {
      read(counter, 30);
      read(counter + 1, 30);
      read(counter + 3, 30);
    }
    assertEquals(2 * 3000, cipher.blocks, 2 * 48);
  }

  @Test
  void rowsOfOtherColumnsHaveTheirOwnStream() throws Exception {
    for (int counter = 0; counter < 1000; counter++) {
      int column = counter / 100 % 2 == 0 ? counter % 4 : counter % 2 + 2;
      read(counter, 16 + 10 * column, columns[column]);
    }
    assertTrue(cipher.calls <= 150, cipher.calls + " calls");
  }

  @Test
  void aValueThatIsReadAgainIsStillThere() throws Exception {
    for (int counter = 0; counter < 100; counter++) {
      read(counter, 20);
      int before = cipher.calls;
      read(counter, 20);
      assertEquals(before, cipher.calls);
    }
  }

  @Test
  void twoResultsByTurnsTakeLessThanTwiceWhatTheyNeed() throws Exception {
    for (int counter = 0; counter < 1200; counter += 4) {
      for (int start : new int[] {0, 100_000}) {
        for (int column = 0; column < 4; column++) {
          read(start + counter + column, 20);
        }
      }
    }
    assertTrue(cipher.blocks < 2 * 2 * 2400, cipher.blocks + " blocks");
  }

  @Test
  void aWideValueAmongOthersIsEncryptedAlone() throws Exception {
    for (int counter = 0; counter < 400; counter++) {
      read(counter, counter % 4 == 0 ? 2000 : 20);
    }
    int needed = 100 * 125 + 300 * 2;
    assertTrue(needed <= cipher.blocks, cipher.blocks + " blocks");
    assertTrue(cipher.blocks <= needed + 100 * 2, cipher.blocks + " blocks");
  }

  @Test
  void anyOrderAndAnyLengthHasItsOwnStream() throws Exception {
    Random random = new Random(11);
    long counter = 0xFFFFFFF0L;
    for (int i = 0; i < 20_000; i++) {
      int kind = random.nextInt(20);
      counter +=
          switch (kind) {
            case 0 -> 1L - random.nextInt(60);
            case 1 -> random.nextInt(60);
            case 2 -> 0;
            default -> 1;
          };
      read(counter, BLOCK + random.nextInt(kind == 3 ? 2000 : 36));
    }
  }
}
