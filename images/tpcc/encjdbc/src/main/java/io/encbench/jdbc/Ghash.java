package io.encbench.jdbc;

/**
 * GHASH of NIST SP 800-38D with one hash key.
 *
 * <p>To multiply by the key, it adds up multiples of the key: one for each half byte by its place.
 * They are 8 KiB, and as many of each of the powers by which the blocks of a short text are
 * multiplied. They stay in the processor's nearest cache.
 */
final class Ghash {
  static final int BLOCK = 16;

  /** Bytes of the longest text for which {@link #before} prepares. */
  static final int SHORT = 2 * BLOCK;

  private static final int HALF_BYTES = 2 * BLOCK;
  private static final int VALUES = 16;
  private static final int PLACES = Long.SIZE / 4;

  /** Numbers that a place has. */
  private static final int WIDTH = 2 * VALUES;

  private static final long REDUCTION = 0xE1L << 56;

  /** Two numbers a multiple, 16 multiples a place. */
  private final long[] multiples;

  private final long[] ofSquare;
  private final long[] ofCube;

  /** The key times the length of each short text, two numbers each. */
  private final long[] ofLengths = new long[2 * (SHORT + 1)];

  private long high;
  private long low;

  /**
   * With a key.
   *
   * @param key a block, in its first 16 bytes
   */
  Ghash(byte[] key) {
    long upper = BigEndian.getLong(key, 0);
    long lower = BigEndian.getLong(key, Long.BYTES);
    multiples = multiples(upper, lower);
    add(upper, lower);
    ofSquare = multiples(high, low);
    add(0, 0);
    ofCube = multiples(high, low);
    for (int length = 0; length <= SHORT; length++) {
      start(State.NOTHING);
      addMultiples(PLACES, (long) Byte.SIZE * length);
      ofLengths[2 * length] = high;
      ofLengths[2 * length + 1] = low;
    }
  }

  /** What a hash is at some point. */
  record State(long high, long low) {
    static final State NOTHING = new State(0, 0);
  }

  private static long[] multiples(long upper, long lower) {
    long[] found = new long[HALF_BYTES * WIDTH];
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

  /** Goes on from there. */
  void start(State state) {
    high = state.high;
    low = state.low;
  }

  State state() {
    return new State(high, low);
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
      add(BigEndian.getLong(bytes, at), BigEndian.getLong(bytes, at + Long.BYTES));
    }
  }

  /**
   * Adds the text, zeros up to a whole block, and the block of the lengths, which ends it.
   *
   * @param bytes with 16 more behind the text, the tag
   * @param bound how many bytes are authenticated beside the text
   */
  void finish(byte[] bytes, int from, int length, int bound) {
    long bits = (long) Byte.SIZE * length;
    if (length == 0) {
      add((long) Byte.SIZE * bound, bits);
      return;
    }
    int last = from + (length - 1) / BLOCK * BLOCK;
    add(bytes, from, last);
    start(before(state(), 1, bound));
    addText(bytes, last, from + length - last);
    addMultiples(PLACES, bits);
  }

  /**
   * Does all of {@link #finish} that can be done without the last blocks of a text.
   *
   * <p>They would be multiplied by the key two and three times, so they are by its powers.
   *
   * @param blocks how many these are, 1 or 2
   * @param bound how many bytes are authenticated beside the text
   */
  State before(State prefix, int blocks, int bound) {
    multiply(blocks == 1 ? ofSquare : ofCube, prefix.high, prefix.low);
    addMultiples(0, (long) Byte.SIZE * bound);
    return state();
  }

  /**
   * Does the rest of it for a short text, and the less the shorter it is.
   *
   * @param bytes with 16 more behind the text, the tag
   * @param length of the text, 1 to {@link #SHORT}
   */
  void finishShort(byte[] bytes, int from, int length) {
    if (length <= BLOCK) {
      addText(bytes, from, length);
    } else {
      addProduct(ofCube, 0, BigEndian.getLong(bytes, from));
      addProduct(ofCube, PLACES, BigEndian.getLong(bytes, from + Long.BYTES));
      addText(bytes, from + BLOCK, length - BLOCK);
    }
    high ^= ofLengths[2 * length];
    low ^= ofLengths[2 * length + 1];
  }

  /** Adds up to a block, times the square. */
  private void addText(byte[] bytes, int from, int length) {
    long upper = BigEndian.getLong(bytes, from);
    if (length <= Long.BYTES) {
      upper &= -1L << Long.SIZE - Byte.SIZE * length;
      addWord(ofSquare, 0, (int) (upper >>> Integer.SIZE));
      if (length > Integer.BYTES) {
        addWord(ofSquare, PLACES / 2, (int) upper);
      }
    } else {
      long lower = BigEndian.getLong(bytes, from + Long.BYTES);
      addProduct(ofSquare, 0, upper);
      addProduct(ofSquare, PLACES, lower & -1L << Byte.SIZE * (BLOCK - length));
    }
  }

  /** Adds a block. */
  private void add(long upper, long lower) {
    multiply(multiples, high ^ upper, low ^ lower);
  }

  private void multiply(long[] of, long upper, long lower) {
    start(State.NOTHING);
    addProduct(of, 0, upper);
    addProduct(of, PLACES, lower);
  }

  /** Adds half a block, which has these places, times the number of which these are multiples. */
  private void addProduct(long[] of, int from, long half) {
    addWord(of, from, (int) (half >>> Integer.SIZE));
    addWord(of, from + PLACES / 2, (int) half);
  }

  /** The same for a quarter of a block; as a loop it took half as long again. */
  private void addWord(long[] of, int from, int word) {
    int at = from * WIDTH;
    addMultiple(of, at, word >>> 27);
    addMultiple(of, at + WIDTH, word >>> 23);
    addMultiple(of, at + 2 * WIDTH, word >>> 19);
    addMultiple(of, at + 3 * WIDTH, word >>> 15);
    addMultiple(of, at + 4 * WIDTH, word >>> 11);
    addMultiple(of, at + 5 * WIDTH, word >>> 7);
    addMultiple(of, at + 6 * WIDTH, word >>> 3);
    addMultiple(of, at + 7 * WIDTH, word << 1);
  }

  /** Adds the multiple for a half byte, the four bits above the lowest. */
  private void addMultiple(long[] of, int place, int halfByte) {
    int at = place + (halfByte & WIDTH - 2);
    high ^= of[at];
    low ^= of[at + 1];
  }

  /** Adds half a block times the key; the smaller the number, the fewer half bytes it has. */
  private void addMultiples(int from, long number) {
    int place = from + PLACES - 1;
    for (long left = number; left != 0; left >>>= 4) {
      addMultiple(multiples, WIDTH * place, (int) left << 1);
      place--;
    }
  }
}
