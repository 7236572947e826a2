package io.encbench.jdbc;

import java.security.GeneralSecurityException;

/**
 * What the values of one connection are combined with: their counters, encrypted.
 *
 * <p>The proxy counts the values of a connection, and programs read them about in that order. To
 * call a cipher takes longer than it takes for the blocks of one value, so those of the next values
 * are encrypted beside them: of twice as many values as the last time if this one is the next, of
 * as many if it only has more blocks than was thought, and of none if it is another. So a program
 * that skips values, or reads two results by turns, has hardly more encrypted than it reads.
 */
final class KeyStream {
  /** Bytes that are encrypted at once; a whole number of {@link Sm4}'s three blocks. */
  static final int ROOM = 48 * Ghash.BLOCK;

  /** Blocks of the widest values that are encrypted beside others: the tag's and two of text. */
  private static final int WIDEST = 3;

  private final Gcm cipher;
  private final byte[] counters = new byte[ROOM];

  /** The upper half of all counters. */
  private long upper;

  /** Apart from the counters, because the JDK copies what it encrypts in its place. */
  private final byte[] blocks = new byte[ROOM];

  /** The counter of the first value that has blocks. */
  private long first;

  /** How many values have blocks, one after the other. */
  private int values;

  /** How many blocks each has. */
  private int each;

  /** How many blocks one of them has needed at most. */
  private int needed;

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
   */
  int begin(long counter, int length) throws GeneralSecurityException {
    int count = blocks(length);
    long distance = counter - first;
    boolean has = 0 <= distance && distance < values;
    if (has && count <= each) {
      needed = Math.max(needed, count);
      return (int) distance * each * Ghash.BLOCK;
    }
    if (count > WIDEST) {
      values = 0;
      needed = 0;
      resume(counter, 0, length);
      return 0;
    }
    boolean next = values > 0 && distance == values;
    each = Math.max(needed, count);
    needed = count;
    int wanted = Math.min(next ? 2 * values : has ? values : 1, ROOM / Ghash.BLOCK / each);
    // As far as the upper halves of their counters are the same.
    values = (int) Math.min(wanted, 1 + (~counter & 0xFFFFFFFFL));
    first = counter;
    encrypt(counter, 1, each, values * each);
    return 0;
  }

  /**
   * Puts more of the stream of a value that has more than {@link #ROOM} bytes into {@link
   * #bytes()}, from their beginning on.
   *
   * @param done how many bytes of the stream were there before
   */
  void resume(long counter, int done, int length) throws GeneralSecurityException {
    int count = blocks(Math.min(length - done, ROOM));
    encrypt(counter, 1 + done / Ghash.BLOCK, Integer.MAX_VALUE, count);
  }

  private static int blocks(int length) {
    return (length + Ghash.BLOCK - 1) / Ghash.BLOCK;
  }

  /**
   * Encrypts so many counters: four zeros, the value's, and the block's.
   *
   * @param block that of the first, which begins with 1 for each value
   * @param each how many blocks a value has
   */
  private void encrypt(long counter, int block, int each, int count)
      throws GeneralSecurityException {
    if (counter >>> Integer.SIZE != upper) {
      upper = counter >>> Integer.SIZE;
      for (int at = 0; at < ROOM; at += Ghash.BLOCK) {
        BigEndian.putLong(counters, at, upper);
      }
    }
    long value = counter << Integer.SIZE;
    int next = block;
    for (int i = 0; i < count; i++) {
      BigEndian.putLong(counters, i * Ghash.BLOCK + Long.BYTES, value | next);
      if (next == each) {
        next = 0;
        value += 1L << Integer.SIZE;
      }
      next++;
    }
    cipher.encrypt(counters, blocks, count);
  }
}
