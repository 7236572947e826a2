package io.encbench.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * GHASH of NIST SP 800-38D with one hash key.
 *
 * <p>To multiply by the key, it adds up multiples of the key: one for each half byte by its place.
 * They are 8 KiB a key, which stay in the processor's nearest cache.
 */
final class Ghash {
  static final int BLOCK = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int HALF_BYTES = 2 * BLOCK;
  private static final int VALUES = 16;
  private static final long REDUCTION = 0xE1L << 56;

  /** Two numbers a multiple, 16 multiples a place. */
  private final long[] multiples = new long[HALF_BYTES * VALUES * 2];

  private final byte[] rest = new byte[BLOCK];
  private long high;
  private long low;

  /**
   * With a key.
   *
   * @param key a block, in its first 16 bytes
   */
  Ghash(byte[] key) {
    long upper = (long) LONGS.get(key, 0);
    long lower = (long) LONGS.get(key, Long.BYTES);
    for (int place = 0; place < HALF_BYTES; place++) {
      int first = place * VALUES;
      // The highest bit of a half byte stands for the lowest power.
      for (int bit = VALUES / 2; bit > 0; bit /= 2) {
        multiples[2 * (first + bit)] = upper;
        multiples[2 * (first + bit) + 1] = lower;
        long carry = -(lower & 1) & REDUCTION;
        lower = lower >>> 1 | upper << 63;
        upper = upper >>> 1 ^ carry;
      }
      for (int value = 3; value < VALUES; value++) {
        int lowest = Integer.lowestOneBit(value);
        for (int half = 0; half < 2 && lowest != value; half++) {
          multiples[2 * (first + value) + half] =
              multiples[2 * (first + lowest) + half]
                  ^ multiples[2 * (first + value - lowest) + half];
        }
      }
    }
  }

  /** Goes on from what {@link #high()} and {@link #low()} were. */
  void start(long fromHigh, long fromLow) {
    high = fromHigh;
    low = fromLow;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  /** Adds bytes, and zeros up to a whole block. */
  void add(byte[] bytes, int from, int length) {
    int whole = from + length / BLOCK * BLOCK;
    for (int at = from; at < whole; at += BLOCK) {
      add((long) LONGS.get(bytes, at), (long) LONGS.get(bytes, at + Long.BYTES));
    }
    int left = from + length - whole;
    if (left > 0) {
      System.arraycopy(bytes, whole, rest, 0, left);
      Arrays.fill(rest, left, BLOCK, (byte) 0);
      add((long) LONGS.get(rest, 0), (long) LONGS.get(rest, Long.BYTES));
    }
  }

  /** Adds a block. */
  void add(long upper, long lower) {
    long[] of = multiples;
    long a = high ^ upper;
    long b = low ^ lower;
    long sumHigh = 0;
    long sumLow = 0;
    for (int i = 0; i < VALUES; i++) {
      int shift = Long.SIZE - 4 - 4 * i;
      int one = 2 * (VALUES * i + ((int) (a >>> shift) & 15));
      int other = 2 * (VALUES * (VALUES + i) + ((int) (b >>> shift) & 15));
      sumHigh ^= of[one] ^ of[other];
      sumLow ^= of[one + 1] ^ of[other + 1];
    }
    high = sumHigh;
    low = sumLow;
  }
}
