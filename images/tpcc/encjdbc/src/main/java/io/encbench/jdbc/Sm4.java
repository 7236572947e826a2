package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import java.util.HexFormat;

/**
 * SM4-128-GCM (GB/T 32907-2016), which the JDK does not have.
 *
 * <p>A round of SM4 waits for the one before it. So blocks go through the rounds together: three,
 * that of the tag and two of text, which take hardly longer than one, where no more are wanted, and
 * else six. There, two blocks share each number, the first in the upper half, because the processor
 * has not enough registers for the words of more than three by themselves.
 */
final class Sm4 extends Gcm {
  private static final int ROUNDS = 32;
  private static final int FEW = 3;
  private static final int MANY = 6;
  private static final int[] FAMILY = {0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC};
  private static final byte[] SUBSTITUTES =
      HexFormat.of()
          .parseHex(
              "d690e9fecce13db716b614c228fb2c052b679a762abe04c3aa44132649860699"
                  + "9c4250f491ef987a33540b43edcfac62e4b31ca9c908e89580df94fa758f3fa6"
                  + "4707a7fcf37317ba83593c19e6854fa8686b81b27164da8bf8eb0f4b70569d35"
                  + "1e240e5e6358d1a225227c3b01217887d40046579fd327524c3602e7a0c4c89e"
                  + "eabf8ad240c738b5a3f7f2cef96115a1e0ae5da49b341a55ad933230f58cb1e3"
                  + "1df6e22e8266ca60c02923ab0d534e6fd5db3745defd8e2f03ff6a726d6c5b51"
                  + "8d1baf92bbddbc7f11d95c411f105ad80ac13188a5cd7bbd2d74d012b8e5b4b0"
                  + "8969974a0c96777e65b9f109c56ec68418f07dec3adc4d2079ee5f3ed7cb3948");

  /** What a round makes of each byte of a word, the highest first. */
  private static final int[] FIRST = new int[SUBSTITUTES.length];

  private static final int[] SECOND = new int[SUBSTITUTES.length];
  private static final int[] THIRD = new int[SUBSTITUTES.length];
  private static final int[] FOURTH = new int[SUBSTITUTES.length];

  static {
    for (int i = 0; i < SUBSTITUTES.length; i++) {
      int word = SUBSTITUTES[i] << 24;
      FIRST[i] =
          word
              ^ Integer.rotateLeft(word, 2)
              ^ Integer.rotateLeft(word, 10)
              ^ Integer.rotateLeft(word, 18)
              ^ Integer.rotateLeft(word, 24);
      SECOND[i] = Integer.rotateRight(FIRST[i], 8);
      THIRD[i] = Integer.rotateRight(FIRST[i], 16);
      FOURTH[i] = Integer.rotateRight(FIRST[i], 24);
    }
  }

  /** Holds each round key twice, once for each block of a pair. */
  private final long[] roundKeys = new long[ROUNDS];

  Sm4(byte[] key) throws GeneralSecurityException {
    int[] words = new int[FAMILY.length + ROUNDS];
    for (int i = 0; i < FAMILY.length; i++) {
      words[i] = BigEndian.getInt(key, Integer.BYTES * i) ^ FAMILY[i];
    }
    for (int i = 0; i < ROUNDS; i++) {
      int found = substituted(words[i + 1] ^ words[i + 2] ^ words[i + 3] ^ constant(i));
      found ^= Integer.rotateLeft(found, 13) ^ Integer.rotateLeft(found, 23);
      words[i + FAMILY.length] = words[i] ^ found;
      roundKeys[i] = pair(words[i + FAMILY.length], words[i + FAMILY.length]);
    }
    keyed();
  }

  private static int constant(int round) {
    int word = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      word = word << Byte.SIZE | (Integer.BYTES * round + i) * 7 & 0xFF;
    }
    return word;
  }

  private static int substituted(int word) {
    int found = 0;
    for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
      found = found << Byte.SIZE | SUBSTITUTES[word >>> shift & 0xFF] & 0xFF;
    }
    return found;
  }

  private static int mixed(int word) {
    return FIRST[word >>> 24]
        ^ SECOND[word >>> 16 & 0xFF]
        ^ THIRD[word >>> 8 & 0xFF]
        ^ FOURTH[word & 0xFF];
  }

  /** The same of two words. */
  private static long mixed(long pair) {
    return pair(mixed(upper(pair)), mixed((int) pair));
  }

  private static long pair(int upper, int lower) {
    return (long) upper << Integer.SIZE | lower & 0xFFFFFFFFL;
  }

  private static int upper(long pair) {
    return (int) (pair >>> Integer.SIZE);
  }

  /** What is behind the last block, up to the third or the sixth, is encrypted for nothing. */
  @Override
  void encrypt(byte[] from, byte[] to, int count) {
    int done = 0;
    for (; count - done > FEW; done += MANY) {
      six(from, to, done * Ghash.BLOCK);
    }
    if (done < count) {
      three(from, to, done * Ghash.BLOCK);
    }
  }

  private void three(byte[] from, byte[] to, int at) {
    final long[] keys = roundKeys;
    int a0 = BigEndian.getInt(from, at);
    int a1 = BigEndian.getInt(from, at + 4);
    int a2 = BigEndian.getInt(from, at + 8);
    int a3 = BigEndian.getInt(from, at + 12);
    int b0 = BigEndian.getInt(from, at + 16);
    int b1 = BigEndian.getInt(from, at + 20);
    int b2 = BigEndian.getInt(from, at + 24);
    int b3 = BigEndian.getInt(from, at + 28);
    int c0 = BigEndian.getInt(from, at + 32);
    int c1 = BigEndian.getInt(from, at + 36);
    int c2 = BigEndian.getInt(from, at + 40);
    int c3 = BigEndian.getInt(from, at + 44);
    for (int i = 0; i < ROUNDS; i += 4) {
      int key = (int) keys[i];
      a0 ^= mixed(a1 ^ a2 ^ a3 ^ key);
      b0 ^= mixed(b1 ^ b2 ^ b3 ^ key);
      c0 ^= mixed(c1 ^ c2 ^ c3 ^ key);
      key = (int) keys[i + 1];
      a1 ^= mixed(a2 ^ a3 ^ a0 ^ key);
      b1 ^= mixed(b2 ^ b3 ^ b0 ^ key);
      c1 ^= mixed(c2 ^ c3 ^ c0 ^ key);
      key = (int) keys[i + 2];
      a2 ^= mixed(a3 ^ a0 ^ a1 ^ key);
      b2 ^= mixed(b3 ^ b0 ^ b1 ^ key);
      c2 ^= mixed(c3 ^ c0 ^ c1 ^ key);
      key = (int) keys[i + 3];
      a3 ^= mixed(a0 ^ a1 ^ a2 ^ key);
      b3 ^= mixed(b0 ^ b1 ^ b2 ^ key);
      c3 ^= mixed(c0 ^ c1 ^ c2 ^ key);
    }
    put(to, at, a3, a2, a1, a0);
    put(to, at + 16, b3, b2, b1, b0);
    put(to, at + 32, c3, c2, c1, c0);
  }

  private void six(byte[] from, byte[] to, int at) {
    final long[] keys = roundKeys;
    long a0 = pair(from, at);
    long a1 = pair(from, at + 4);
    long a2 = pair(from, at + 8);
    long a3 = pair(from, at + 12);
    long b0 = pair(from, at + 32);
    long b1 = pair(from, at + 36);
    long b2 = pair(from, at + 40);
    long b3 = pair(from, at + 44);
    long c0 = pair(from, at + 64);
    long c1 = pair(from, at + 68);
    long c2 = pair(from, at + 72);
    long c3 = pair(from, at + 76);
    for (int i = 0; i < ROUNDS; i += 4) {
      long key = keys[i];
      a0 ^= mixed(a1 ^ a2 ^ a3 ^ key);
      b0 ^= mixed(b1 ^ b2 ^ b3 ^ key);
      c0 ^= mixed(c1 ^ c2 ^ c3 ^ key);
      key = keys[i + 1];
      a1 ^= mixed(a2 ^ a3 ^ a0 ^ key);
      b1 ^= mixed(b2 ^ b3 ^ b0 ^ key);
      c1 ^= mixed(c2 ^ c3 ^ c0 ^ key);
      key = keys[i + 2];
      a2 ^= mixed(a3 ^ a0 ^ a1 ^ key);
      b2 ^= mixed(b3 ^ b0 ^ b1 ^ key);
      c2 ^= mixed(c3 ^ c0 ^ c1 ^ key);
      key = keys[i + 3];
      a3 ^= mixed(a0 ^ a1 ^ a2 ^ key);
      b3 ^= mixed(b0 ^ b1 ^ b2 ^ key);
      c3 ^= mixed(c0 ^ c1 ^ c2 ^ key);
    }
    put(to, at, a3, a2, a1, a0);
    put(to, at + 32, b3, b2, b1, b0);
    put(to, at + 64, c3, c2, c1, c0);
  }

  /** A word of one block and that of the next. */
  private static long pair(byte[] bytes, int at) {
    return pair(BigEndian.getInt(bytes, at), BigEndian.getInt(bytes, at + Ghash.BLOCK));
  }

  /** Puts one block and the next. */
  private static void put(byte[] bytes, int at, long a, long b, long c, long d) {
    put(bytes, at, upper(a), upper(b), upper(c), upper(d));
    put(bytes, at + Ghash.BLOCK, (int) a, (int) b, (int) c, (int) d);
  }

  private static void put(byte[] bytes, int at, int a, int b, int c, int d) {
    BigEndian.putInt(bytes, at, a);
    BigEndian.putInt(bytes, at + 4, b);
    BigEndian.putInt(bytes, at + 8, c);
    BigEndian.putInt(bytes, at + 12, d);
  }
}
