package io.encbench.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * GHASH of NIST SP 800-38D with one hash key.
 *
 * <p>To multiply by the key, it adds up multiples of the key: one for each half byte by its place.
 * They are 8 KiB, and as many of the key's square, by which the last block is multiplied. Both stay
 * in the processor's nearest cache.
 */
final class Ghash {
  static final int BLOCK = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int HALF_BYTES = 2 * BLOCK;
  private static final int VALUES = 16;
  private static final int PLACES = Long.SIZE / 4;
  private static final long REDUCTION = 0xE1L << 56;

  /** Two numbers a multiple, 16 multiples a place. */
  private final long[] multiples;

  private final long[] ofSquare;
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
    multiples = multiples(upper, lower);
    start(0, 0);
    add(upper, lower);
    ofSquare = multiples(high, low);
  }

  private static long[] multiples(long upper, long lower) {
    long[] found = new long[HALF_BYTES * VALUES * 2];
    long a = upper;
    long b = lower;
    for (int place = 0; place < HALF_BYTES; place++) {
      int first = place * VALUES;
      // The highest bit of a half byte stands for the lowest power.
      for (int bit = VALUES / 2; bit > 0; bit /= 2) {
        found[2 * (first + bit)] = a;
        found[2 * (first + bit) + 1] = b;
        long carry = -(b & 1) & REDUCTION;
        b = b >>> 1 | a << 63;
        a = a >>> 1 ^ carry;
      }
      for (int value = 3; value < VALUES; value++) {
        int lowest = Integer.lowestOneBit(value);
        for (int half = 0; half < 2 && lowest != value; half++) {
          found[2 * (first + value) + half] =
              found[2 * (first + lowest) + half] ^ found[2 * (first + value - lowest) + half];
        }
      }
    }
    return found;
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

  /** Adds whole blocks. */
  void add(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at += BLOCK) {
      add((long) LONGS.get(bytes, at), (long) LONGS.get(bytes, at + Long.BYTES));
    }
  }

  /**
   * Adds the text, zeros up to a whole block, and the block of the lengths, which ends it.
   *
   * <p>The last block would be multiplied by the key twice, so it is by the square. The lengths are
   * small, and so is the work to multiply them.
   *
   * @param bytes with 16 more behind the text, the tag
   * @param bound how many bytes are authenticated beside the text
   */
  void finish(byte[] bytes, int from, int length, int bound) {
    long boundBits = (long) Byte.SIZE * bound;
    long bits = (long) Byte.SIZE * length;
    if (length == 0) {
      add(boundBits, bits);
      return;
    }
    int last = from + (length - 1) / BLOCK * BLOCK;
    add(bytes, from, last);
    int excess = Byte.SIZE * (last + BLOCK - from - length);
    long upper = (long) LONGS.get(bytes, last);
    long lower = (long) LONGS.get(bytes, last + Long.BYTES);
    if (excess < Long.SIZE) {
      lower &= -1L << excess;
    } else {
      upper &= -1L << excess - Long.SIZE;
      lower = 0;
    }
    multiply(ofSquare, high ^ upper, low ^ lower);
    addMultiples(0, boundBits);
    addMultiples(PLACES, bits);
  }

  /** Adds a block. */
  private void add(long upper, long lower) {
    multiply(multiples, high ^ upper, low ^ lower);
  }

  private void multiply(long[] of, long a, long b) {
    long sumHigh = 0;
    long sumLow = 0;
    for (int i = 0; i < PLACES; i++) {
      int shift = Long.SIZE - 4 - 4 * i;
      int one = 2 * (VALUES * i + ((int) (a >>> shift) & 15));
      int other = 2 * (VALUES * (PLACES + i) + ((int) (b >>> shift) & 15));
      sumHigh ^= of[one] ^ of[other];
      sumLow ^= of[one + 1] ^ of[other + 1];
    }
    high = sumHigh;
    low = sumLow;
  }

  /** Adds the key times half a block; the smaller the number, the fewer half bytes it has. */
  private void addMultiples(int from, long number) {
    int place = from + PLACES - 1;
    for (long left = number; left != 0; left >>>= 4) {
      int one = 2 * (VALUES * place + ((int) left & 15));
      high ^= multiples[one];
      low ^= multiples[one + 1];
      place--;
    }
  }
}
