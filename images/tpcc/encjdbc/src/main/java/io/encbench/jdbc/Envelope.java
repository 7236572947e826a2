package io.encbench.jdbc;

import java.util.Arrays;

/**
 * The layout of an encrypted value: header, key id, counter, ciphertext, tag; {@code
 * docs/design/0007-columns.md} has the table.
 */
final class Envelope {
  static final int VERSION_AT = 4;
  static final int ALGORITHM_AT = 5;
  static final int TYPE_AT = 6;
  static final int DECIMALS_AT = 7;
  static final int FLAGS_AT = 8;
  static final int COLLATION_AT = 10;
  static final int KEY_ID_AT = 12;
  static final int COUNTER_AT = 24;
  static final int CONTENT_AT = 32;

  static final int TAG_BYTES = 16;
  static final int OVERHEAD = CONTENT_AT + TAG_BYTES;

  /**
   * What is authenticated beside the content and the name of the column: all before the counter.
   */
  static final int HEADER_BYTES = COUNTER_AT;

  static final int VERSION = 2;

  private Envelope() {}

  /** Whether this bears the magic and is long enough; null is none. */
  static boolean is(byte[] bytes) {
    return bytes != null
        && bytes.length >= OVERHEAD
        && bytes[0] == 0
        && bytes[1] == 'E'
        && bytes[2] == 'N'
        && bytes[3] == 'C';
  }

  static int uint16(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
  }

  /** Whether values of one type were encrypted with one key. */
  static boolean haveSameHeader(byte[] one, byte[] other) {
    return BigEndian.getLong(one, 0) == BigEndian.getLong(other, 0)
        && BigEndian.getLong(one, 8) == BigEndian.getLong(other, 8)
        && BigEndian.getLong(one, 16) == BigEndian.getLong(other, 16);
  }

  /** Whether values were encrypted with one key, by one algorithm. */
  static boolean haveSameKey(byte[] one, byte[] other) {
    return one[ALGORITHM_AT] == other[ALGORITHM_AT]
        && BigEndian.getInt(one, KEY_ID_AT) == BigEndian.getInt(other, KEY_ID_AT)
        && BigEndian.getLong(one, KEY_ID_AT + Integer.BYTES)
            == BigEndian.getLong(other, KEY_ID_AT + Integer.BYTES);
  }

  /** The key id: a connection of the proxy's has one, and a key of its own by it. */
  static byte[] keyId(byte[] envelope) {
    return Arrays.copyOfRange(envelope, KEY_ID_AT, COUNTER_AT);
  }
}
