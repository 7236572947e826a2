package io.encbench.jdbc;

import java.security.GeneralSecurityException;

/**
 * What the values of one connection are combined with: their counters, encrypted.
 *
 * <p>The proxy counts the values of a connection, and programs read them about in that order. To
 * call a cipher takes longer than it takes for the blocks of one value, so those of the next values
 * are encrypted beside them: of one more value at first, and of twice as many each time that the
 * value after them is asked for. Which columns come next, and how many blocks their values need, is
 * taken from the rows before. So a program that skips values, or reads two results by turns, has
 * hardly more encrypted than it reads.
 */
final class KeyStream {
  private static final int MOST = 48;

  /** Bytes that are encrypted at once; a whole number of {@link Sm4}'s six blocks. */
  static final int ROOM = MOST * Ghash.BLOCK;

  /** Blocks of the widest values that are encrypted beside others: the tag's and two of text. */
  private static final int WIDEST = 3;

  private final Gcm cipher;
  private final byte[] counters = new byte[ROOM + WIDEST * Ghash.BLOCK];

  /** Apart from the counters, because the JDK copies what it encrypts in its place. */
  private final byte[] blocks = new byte[ROOM];

  /** The counter of the first value that has blocks. */
  private long first;

  /** How many values have blocks, one after the other. */
  private int values;

  /** The columns that the first and the last of them are expected to be of. */
  private Binding head;

  private Binding tail;

  /** At which block each of them begins, and where the last one ends. */
  private final int[] starts = new int[MOST + 1];

  /** How many values were to have blocks. */
  private int wanted;

  /** The upper half of all counters. */
  private long upper;

  KeyStream(Gcm cipher) {
    this.cipher = cipher;
  }

  /** Where the stream is, until the next call. */
  byte[] bytes() {
    return blocks;
  }

  /**
   * Says where a value's stream begins in {@link #bytes()}.
   *
   * @param counter the value's
   * @param length of the stream, of which the first {@link #ROOM} bytes are there
   * @param column the value's
   */
  int begin(long counter, int length, Binding column) throws GeneralSecurityException {
    int needed = blocks(length);
    long distance = counter - first;
    boolean has = 0 <= distance && distance < values;
    if (has) {
      int start = starts[(int) distance];
      if (needed <= starts[(int) distance + 1] - start) {
        return start * Ghash.BLOCK;
      }
    }
    boolean isNext = values > 0 && distance == values;
    column.blocks = Math.max(column.blocks, needed);
    if (isNext) {
      tail.next = column;
    } else if (has && distance > 0) {
      expected((int) distance - 1).next = column;
    }
    if (needed > WIDEST) {
      values = 0;
      resume(counter, 0, length);
      return 0;
    }
    wanted = isNext ? Math.min(2 * wanted, MOST) : has ? wanted : 1;
    fill(counter, column);
    return 0;
  }

  /** The column that one of the values was expected to be of. */
  private Binding expected(int place) {
    Binding found = head;
    for (int i = 0; i < place && found.next != null; i++) {
      found = found.next;
    }
    return found;
  }

  /** Encrypts for a value and those that are expected after it. */
  private void fill(long counter, Binding column) throws GeneralSecurityException {
    raise(counter);
    // As far as the upper halves of the counters are the same.
    long most = Math.min(wanted, 1 + (~counter & 0xFFFFFFFFL));
    long number = counter << Integer.SIZE;
    int end = 0;
    first = counter;
    values = 0;
    head = column;
    Binding next = column;
    do {
      // The next value's come over those that are too many; an inner loop took twice as long.
      write(end, number | 1);
      write(end + 1, number | 2);
      write(end + 2, number | 3);
      number += 1L << Integer.SIZE;
      end += Math.min(next.blocks, WIDEST);
      tail = next;
      starts[++values] = end;
      next = next.next;
    } while (values < most && next != null && next.blocks <= WIDEST && end + next.blocks <= MOST);
    cipher.encrypt(counters, blocks, end);
  }

  /**
   * Puts more of the stream of a value that has more than {@link #ROOM} bytes into {@link
   * #bytes()}, from their beginning on.
   *
   * @param done how many bytes of the stream were there before
   */
  void resume(long counter, int done, int length) throws GeneralSecurityException {
    int count = blocks(Math.min(length - done, ROOM));
    raise(counter);
    long number = counter << Integer.SIZE | 1 + done / Ghash.BLOCK;
    for (int i = 0; i < count; i++) {
      write(i, number + i);
    }
    cipher.encrypt(counters, blocks, count);
  }

  private static int blocks(int length) {
    return (length + Ghash.BLOCK - 1) / Ghash.BLOCK;
  }

  /** Sees to the upper halves of the counters: four zeros and that of a value's. */
  private void raise(long counter) {
    if (counter >>> Integer.SIZE != upper) {
      upper = counter >>> Integer.SIZE;
      for (int at = 0; at < counters.length; at += Ghash.BLOCK) {
        BigEndian.putLong(counters, at, upper);
      }
    }
  }

  /** Writes the lower half: that of a value's counter, and the block's, which begins with 1. */
  private void write(int place, long number) {
    BigEndian.putLong(counters, place * Ghash.BLOCK + Long.BYTES, number);
  }
}
